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

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(catalog: &TaskCatalog, task: &str, payload: &str) -> Result<TaskDefaults, Refusal> {
        catalog.admit(&TaskName::parse(task).expect("a name"), &Json::parse(payload).expect("JSON"))
    }

    #[test]
    fn a_payload_is_held_against_the_schema_of_its_task() {
        let config = Config::parse(
            r#"
            [tasks.resize]
            executor = "process"
            command = ["true"]
            queue = "images"
            max_attempts = 5
            schema = { type = "object", required = ["width"], properties = { width = { type = "integer" } } }
            "#,
        );
        let catalog = TaskCatalog::open(&config.expect("a configuration")).expect("a catalog");
        let defaults = admit(&catalog, "resize", r#"{"width": 640}"#).expect("admitted");
        assert_eq!(defaults.queue.map(|queue| queue.to_string()).as_deref(), Some("images"));
        assert_eq!(defaults.max_attempts.map(|attempts| attempts.get()), Some(5));
        match admit(&catalog, "resize", r#"{"width": "wide"}"#) {
            Err(Refusal::InvalidPayload { pointer, .. }) => assert_eq!(pointer.as_deref(), Some("/width")),
            other => panic!("not refused: {other:?}"),
        }
        assert!(admit(&catalog, "elsewhere", "null").is_ok(), "workers elsewhere may have it");
        assert!(matches!(admit(&catalog.strict(), "elsewhere", "null"), Err(Refusal::UnknownTask { .. })));
    }

    #[test]
    fn a_schema_that_is_none_is_refused_by_the_name_of_its_task() {
        let text = "[tasks.x]\nexecutor = \"process\"\ncommand = [\"true\"]\nschema = { type = 7 }\n";
        let refused = TaskCatalog::open(&Config::parse(text).expect("a configuration")).err().expect("refused");
        assert!(refused.to_string().starts_with("task x: schema: "), "{refused}");
    }
}
