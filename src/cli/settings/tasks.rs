//! The tasks of a file: what each is, and everything that is wrong with it.

use std::collections::BTreeMap;
use std::num::{NonZeroU16, NonZeroU32};
use std::time::Duration;

use runlane::executor::process::ProcessTask;
use runlane::run::{QueueName, RetryPolicy, TaskName};
use runlane::worker::AtShutdown;

use super::problem::Place;
use super::section::Section;
use super::{process, schema};

/// How an attempt may be carried out.
const EXECUTORS: [&str; 1] = ["process"];

/// A task as the file says it. Two are equal if they do the same.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct TaskConfig {
    pub(in crate::cli) process: ProcessTask,
    pub(in crate::cli) timeout_seconds: Option<NonZeroU32>,
    pub(in crate::cli) max_attempts: Option<NonZeroU16>,
    pub(in crate::cli) queue: Option<QueueName>,
    pub(in crate::cli) retry: Option<RetryPolicy>,
    /// What payloads it takes: a JSON Schema, as it was in its file or in this one.
    pub(in crate::cli) schema: Option<serde_json::Value>,
    pub(in crate::cli) usage_limits: BTreeMap<String, u64>,
    pub(in crate::cli) at_shutdown: AtShutdown,
}

/// Tasks by name, and where they stand.
pub(in crate::cli) type Tasks = BTreeMap<String, (Place, TaskConfig)>;

impl TaskConfig {
    pub(in crate::cli) fn stop_grace(&self) -> Duration {
        Duration::from_secs(self.process.stop_grace_seconds)
    }

    pub(in crate::cli) fn executor(&self) -> &'static str {
        EXECUTORS[0]
    }
}

/// Reads all of them; those that cannot be are left out, and reported as problems of the file.
pub(super) fn read(tasks: Section<'_, '_>) -> Tasks {
    let (source, mut found) = (tasks.source, Tasks::new());
    let at = |name: &str| source.whereabouts(&format!("tasks.{name}"));
    for (name, section) in tasks.tables() {
        if let Err(error) = TaskName::parse(name.as_str()) {
            source.error(at(&name), format!("a task cannot be called {name:?}: {error}"));
        }
        if let Some(task) = task(&name, section) {
            found.insert(name.clone(), (source.place(at(&name)), task));
        }
    }
    found
}

fn task(name: &str, mut section: Section<'_, '_>) -> Option<TaskConfig> {
    let source = section.source;
    match section.take("executor").map(|value| (value.span(), value.get_ref().as_str())) {
        Some((_, Some(executor))) if EXECUTORS.contains(&executor) => {}
        Some((at, executor)) => {
            let word = executor.unwrap_or_default();
            source.unknown(at, format!("there is no executor {word:?}"), word, &EXECUTORS);
            // Its keys would be judged as those of another executor.
            return None;
        }
        None => {
            let message = format!("task `{name}` has no executor; add executor = \"process\"");
            source.error(source.whereabouts(&format!("tasks.{name}")), message);
        }
    }
    let task = TaskConfig {
        process: process::read(&mut section),
        timeout_seconds: section.read("timeout_seconds"),
        max_attempts: section.read("max_attempts"),
        queue: queue(&mut section),
        retry: retry(&mut section),
        schema: schema::read(&mut section),
        usage_limits: section.map("usage_limits"),
        at_shutdown: at_shutdown(&mut section),
    };
    section.finish();
    Some(task)
}

fn queue(section: &mut Section<'_, '_>) -> Option<QueueName> {
    let name: String = section.read("queue")?;
    let parsed = QueueName::parse(name.as_str());
    parsed.map_err(|error| section.source.error(section.at("queue"), format!("`queue`: {error}"))).ok()
}

fn retry(section: &mut Section<'_, '_>) -> Option<RetryPolicy> {
    let (mut keys, usual) = (section.section("retry"), RetryPolicy::default());
    let is_given = !keys.is_empty();
    let millis = |seconds: Option<u32>, usual| seconds.map_or(usual, |seconds| seconds.saturating_mul(1000));
    let policy = RetryPolicy {
        base_ms: millis(keys.read("base_seconds"), usual.base_ms),
        factor: keys.read("factor").map_or(usual.factor, NonZeroU32::get),
        cap_ms: millis(keys.read("cap_seconds"), usual.cap_ms),
    };
    if policy.cap_ms < policy.base_ms {
        keys.source.error(keys.at("cap_seconds"), "`cap_seconds` is shorter than `base_seconds`");
    }
    keys.finish();
    is_given.then_some(policy)
}

fn at_shutdown(section: &mut Section<'_, '_>) -> AtShutdown {
    let Some(word) = section.read::<String>("at_shutdown") else { return AtShutdown::default() };
    match word.as_str() {
        "requeue" => AtShutdown::Requeue,
        "pause" => AtShutdown::Pause,
        _ => {
            let message = format!("`at_shutdown` cannot be {word:?}");
            section.source.unknown(section.at("at_shutdown"), message, &word, &["requeue", "pause"]);
            AtShutdown::default()
        }
    }
}
