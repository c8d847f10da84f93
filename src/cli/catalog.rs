//! The tasks of the configuration, as those see them who submit: defaults, and what payloads they take.

use std::collections::BTreeMap;

use jsonschema::Validator;
use runlane::actions::{Catalog, Refusal, TaskDefaults};
use runlane::run::{Json, QueueName, TaskName};
use runlane::worker::DEMO_TASKS;

use super::Failure;
use super::config::{Config, TaskConfig};

/// Tasks by name. Others are taken too, for workers elsewhere, unless it is strict.
pub(super) struct TaskCatalog {
    tasks: BTreeMap<String, Entry>,
    is_strict: bool,
}

#[derive(Default)]
struct Entry {
    defaults: TaskDefaults,
    schema: Option<Validator>,
}

impl TaskCatalog {
    /// Refuses a schema that is none.
    pub(super) fn open(config: &Config) -> Result<Self, Failure> {
        let mut tasks = BTreeMap::new();
        for (name, task) in &config.tasks {
            let entry = entry(task).map_err(|error| format!("task {name}: {error}"))?;
            tasks.insert(name.clone(), entry);
        }
        Ok(Self { tasks, is_strict: false })
    }

    pub(super) fn with_demo_tasks(mut self) -> Self {
        for name in DEMO_TASKS {
            self.tasks.entry(name.to_owned()).or_default();
        }
        self
    }

    /// Takes no run that nobody here could execute.
    pub(super) fn strict(self) -> Self {
        Self { is_strict: true, ..self }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.tasks.keys().cloned().collect()
    }
}

fn entry(task: &TaskConfig) -> Result<Entry, Failure> {
    let schema = match task.schema()? {
        Some(schema) => {
            let validator = jsonschema::validator_for(&schema).map_err(|error| format!("schema: {error}"))?;
            Some(validator)
        }
        None => None,
    };
    let queue = task.queue.clone().map(QueueName::parse).transpose()?;
    let defaults = TaskDefaults {
        queue,
        max_attempts: task.max_attempts,
        timeout_seconds: task.timeout_seconds,
        ..TaskDefaults::default()
    };
    Ok(Entry { defaults, schema })
}

impl Catalog for TaskCatalog {
    fn admit(&self, task: &TaskName, payload: &Json) -> Result<TaskDefaults, Refusal> {
        let Some(entry) = self.tasks.get(task.as_str()) else {
            return match self.is_strict {
                true => Err(Refusal::UnknownTask { task: task.clone(), known: self.names() }),
                false => Ok(TaskDefaults::default()),
            };
        };
        if let Some(schema) = &entry.schema {
            let value = serde_json::from_str(payload.as_str()).unwrap_or_default();
            if let Some(error) = schema.iter_errors(&value).next() {
                let pointer = error.instance_path().to_string();
                let pointer = Some(pointer).filter(|pointer| !pointer.is_empty());
                return Err(Refusal::InvalidPayload { pointer, reason: error.to_string() });
            }
        }
        Ok(entry.defaults.clone())
    }
}
