//! The tasks of the configuration, as those see them who submit: defaults, and what payloads they take.

use std::collections::BTreeMap;

use jsonschema::Validator;
use runlane::actions::{Catalog, KnownTask, Refusal, TaskDefaults};
use runlane::run::{Json, TaskName};
use runlane::worker::DEMO_TASKS;

use super::Failure;
use super::settings::{self, Config, QUEUE_ENABLED, RUN_TIMEOUT_SECONDS, TaskConfig};

/// Tasks by name. Others are taken too, for workers elsewhere, unless it is strict.
pub(super) struct TaskCatalog {
    tasks: BTreeMap<String, Entry>,
    /// What a task has of which nothing is known.
    usual: TaskDefaults,
    is_strict: bool,
}

#[derive(Default)]
struct Entry {
    executor: &'static str,
    defaults: TaskDefaults,
    schema: Option<Validator>,
}

impl TaskCatalog {
    /// Refuses a schema that is none.
    pub(super) fn open(config: &Config) -> Result<Self, Failure> {
        let timeout_seconds = config.settings.get(&RUN_TIMEOUT_SECONDS);
        let usual = TaskDefaults { timeout_seconds, ..TaskDefaults::default() };
        let mut tasks = BTreeMap::new();
        for (name, (place, task)) in &config.tasks {
            let entry = entry(task, &usual).map_err(|error| format!("{place}: task {name}: {error}"))?;
            tasks.insert(name.clone(), entry);
        }
        // Without a queue nobody elsewhere could execute it.
        let is_strict = config.settings.get(&QUEUE_ENABLED) == Some(false);
        let catalog = Self { tasks, usual, is_strict };
        let demo = config.settings.get(&settings::DEMO_TASKS) == Some(true);
        Ok(if demo { catalog.with_demo_tasks() } else { catalog })
    }

    /// With the demo tasks, and strict: no run is taken that nobody here could execute.
    pub(super) fn open_for_dev(config: &Config) -> Result<Self, Failure> {
        Ok(Self { is_strict: true, ..Self::open(config)?.with_demo_tasks() })
    }

    fn with_demo_tasks(mut self) -> Self {
        for name in DEMO_TASKS {
            let entry = Entry { executor: "native", defaults: self.usual.clone(), schema: None };
            self.tasks.entry(name.to_owned()).or_insert(entry);
        }
        self
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.tasks.keys().cloned().collect()
    }
}

fn entry(task: &TaskConfig, usual: &TaskDefaults) -> Result<Entry, Failure> {
    let schema = task.schema.as_ref().map(jsonschema::validator_for).transpose();
    let defaults = TaskDefaults {
        queue: task.queue.clone(),
        max_attempts: task.max_attempts,
        timeout_seconds: task.timeout_seconds.or(usual.timeout_seconds),
        retry: task.retry,
    };
    Ok(Entry { executor: task.executor(), defaults, schema: schema.map_err(|error| format!("schema: {error}"))? })
}

impl Catalog for TaskCatalog {
    fn admit(&self, task: &TaskName, payload: &Json) -> Result<TaskDefaults, Refusal> {
        let Some(entry) = self.tasks.get(task.as_str()) else {
            return match self.is_strict {
                true => Err(Refusal::UnknownTask { task: task.clone(), known: self.names() }),
                false => Ok(self.usual.clone()),
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

    fn tasks(&self) -> Vec<KnownTask> {
        let known = |(name, entry): (&String, &Entry)| {
            let (defaults, has_schema) = (entry.defaults.clone(), entry.schema.is_some());
            Some(KnownTask {
                name: TaskName::parse(name.as_str()).ok()?,
                executor: entry.executor,
                defaults,
                has_schema,
            })
        };
        self.tasks.iter().filter_map(known).collect()
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
        let config = Config::of(
            r#"
            [tasks.resize]
            executor = "process"
            command = ["true"]
            queue = "images"
            max_attempts = 5
            schema = { type = "object", required = ["width"], properties = { width = { type = "integer" } } }
            "#,
        );
        let catalog = TaskCatalog::open(&config).expect("a catalog");
        let defaults = admit(&catalog, "resize", r#"{"width": 640}"#).expect("admitted");
        assert_eq!(defaults.queue.map(|queue| queue.to_string()).as_deref(), Some("images"));
        assert_eq!(defaults.max_attempts.map(|attempts| attempts.get()), Some(5));
        match admit(&catalog, "resize", r#"{"width": "wide"}"#) {
            Err(Refusal::InvalidPayload { pointer, .. }) => assert_eq!(pointer.as_deref(), Some("/width")),
            other => panic!("not refused: {other:?}"),
        }
        assert!(admit(&catalog, "elsewhere", "null").is_ok(), "workers elsewhere may have it");
        let catalog = TaskCatalog::open_for_dev(&config).expect("a catalog");
        assert!(admit(&catalog, "echo", "null").is_ok());
        assert!(matches!(admit(&catalog, "elsewhere", "null"), Err(Refusal::UnknownTask { .. })));
    }

    #[test]
    fn a_time_limit_is_the_runs_the_tasks_or_the_usual_one() {
        let tasks = "[tasks.a]\nexecutor = \"process\"\ncommand = [\"true\"]\n";
        let text = format!("run_timeout_seconds = 60\n{tasks}timeout_seconds = 5\n{}", tasks.replace(".a", ".b"));
        let catalog = TaskCatalog::open(&Config::of(&text)).expect("a catalog");
        let limit =
            |task| admit(&catalog, task, "null").expect("admitted").timeout_seconds.map(|seconds| seconds.get());
        assert_eq!([limit("a"), limit("b"), limit("elsewhere")], [Some(5), Some(60), Some(60)]);
    }
}
