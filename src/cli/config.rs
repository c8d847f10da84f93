//! `runlane.toml`: settings, and the tasks this machine can execute.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::{NonZeroU16, NonZeroU32};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use runlane::executor::process::{ProcessLimits, ProcessTask, ProcessUser};
use runlane::run::HostName;
use runlane::worker::{AtShutdown, Served};
use serde::Deserialize;

use super::Failure;
use super::worker::served;

/// Read where none is named, if it is there.
const USUAL: &str = "runlane.toml";

/// What a file may say. Flags and the environment say it louder.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Config {
    pub(super) database: Option<String>,
    pub(super) data_dir: Option<PathBuf>,
    pub(super) concurrency: Option<usize>,
    queues: Option<Vec<Queue>>,
    pub(super) host: Option<HostName>,
    lease_ttl_seconds: Option<Seconds>,
    heartbeat_seconds: Option<Seconds>,
    takeover_delay_seconds: Option<Seconds>,
    shutdown_grace_period_seconds: Option<Seconds>,
    pub(super) metrics_listen: Option<String>,
    pub(super) listen: Option<SocketAddr>,
    pub(super) auth: Option<AuthMode>,
    pub(super) queue_size: Option<u64>,
    pub(super) tasks: BTreeMap<String, TaskConfig>,
}

/// Who may use the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AuthMode {
    /// `Authorization: Bearer rl_…`
    Tokens,
    /// No questions asked; refused on an address that others can reach
    None,
}

/// A time that makes sense.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
struct Seconds(Duration);

impl TryFrom<f64> for Seconds {
    type Error = String;
    fn try_from(seconds: f64) -> Result<Self, String> {
        Duration::try_from_secs_f64(seconds).map(Seconds).map_err(|error| format!("{seconds} seconds: {error}"))
    }
}

/// `name` or `name:limit`.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
struct Queue(Served);

impl TryFrom<String> for Queue {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        served(&text).map(Queue)
    }
}

/// A task that is a program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskConfig {
    #[expect(dead_code, reason = "there is one kind; naming it is required so that others can come")]
    executor: ExecutorKind,
    command: Vec<String>,
    cwd: Option<PathBuf>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    env_allow: Vec<String>,
    #[serde(default = "usual_stop_grace")]
    stop_grace_seconds: u64,
    #[serde(default)]
    limits: ProcessLimits,
    user: Option<ProcessUser>,
    pub(super) timeout_seconds: Option<NonZeroU32>,
    #[cfg_attr(not(feature = "api"), expect(dead_code, reason = "only the API goes by it"))]
    pub(super) max_attempts: Option<NonZeroU16>,
    #[cfg_attr(not(feature = "api"), expect(dead_code, reason = "only the API goes by it"))]
    pub(super) queue: Option<String>,
    #[cfg_attr(not(feature = "api"), expect(dead_code, reason = "only the API goes by it"))]
    schema: Option<Schema>,
    #[serde(default)]
    pub(super) usage_limits: BTreeMap<String, u64>,
    #[serde(default)]
    pub(super) at_shutdown: AtShutdown,
}

/// What payloads a task takes: a JSON Schema, in the file itself or in one of its own.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Schema {
    File(#[cfg_attr(not(feature = "api"), expect(dead_code, reason = "only the API goes by it"))] PathBuf),
    Inline(#[cfg_attr(not(feature = "api"), expect(dead_code, reason = "only the API goes by it"))] toml::Table),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ExecutorKind {
    Process,
}

fn usual_stop_grace() -> u64 {
    10
}

impl Config {
    /// The file that is named, or the usual one if it is there.
    pub(super) fn load(named: Option<&Path>) -> Result<Self, Failure> {
        let path = named.unwrap_or(Path::new(USUAL));
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display()).into()),
        };
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    /// The error says line and column, and what could have been meant.
    pub(super) fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    pub(super) fn lease_ttl(&self) -> Option<Duration> {
        self.lease_ttl_seconds.map(|seconds| seconds.0)
    }

    pub(super) fn heartbeat(&self) -> Option<Duration> {
        self.heartbeat_seconds.map(|seconds| seconds.0)
    }

    pub(super) fn takeover_delay(&self) -> Option<Duration> {
        self.takeover_delay_seconds.map(|seconds| seconds.0)
    }

    pub(super) fn shutdown_grace(&self) -> Option<Duration> {
        self.shutdown_grace_period_seconds.map(|seconds| seconds.0)
    }

    pub(super) fn queues(&self) -> Option<Vec<Served>> {
        self.queues.as_ref().map(|queues| queues.iter().map(|queue| queue.0.clone()).collect())
    }
}

impl TaskConfig {
    pub(super) fn process(&self) -> ProcessTask {
        ProcessTask {
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            env_allow: self.env_allow.clone(),
            stop_grace_seconds: self.stop_grace_seconds,
            limits: self.limits.clone(),
            user: self.user,
        }
    }

    /// Its schema, read from wherever it is.
    #[cfg(feature = "api")]
    pub(super) fn schema(&self) -> Result<Option<serde_json::Value>, Failure> {
        match &self.schema {
            None => Ok(None),
            Some(Schema::Inline(table)) => Ok(Some(serde_json::to_value(table)?)),
            Some(Schema::File(path)) => {
                let wrong = |error: &dyn std::fmt::Display| format!("schema {}: {error}", path.display());
                let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
                Ok(Some(serde_json::from_str(&text).map_err(|error| wrong(&error))?))
            }
        }
    }

    pub(super) fn stop_grace(&self) -> Duration {
        Duration::from_secs(self.stop_grace_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_settings_and_tasks() {
        let config = Config::parse(
            r#"
            concurrency = 4
            queues = ["default", "reports:1"]
            [tasks.resize]
            executor = "process"
            command = ["python3", "resize.py"]
            timeout_seconds = 60
            usage_limits = { tokens = 1000 }
            "#,
        )
        .expect("a configuration");
        assert_eq!(config.queues().expect("queues")[1].concurrency, Some(1));
        let task = &config.tasks["resize"];
        assert_eq!(task.process().command, ["python3", "resize.py"]);
        assert_eq!((task.stop_grace(), task.usage_limits["tokens"]), (Duration::from_secs(10), 1000));
    }

    #[test]
    fn a_wrong_key_is_named_with_its_line_and_what_there_is() {
        let error = Config::parse("concurrency = 4\n\n[tasks.resize]\nexecutor = \"process\"\ncomand = [\"x\"]\n")
            .expect_err("refused")
            .to_string();
        assert!(error.contains("line 5") && error.contains("`comand`") && error.contains("`command`"), "{error}");
        let error = Config::parse("concurency = 4").expect_err("refused").to_string();
        assert!(error.contains("line 1") && error.contains("`concurency`"), "{error}");
        let error = Config::parse("queues = [\"a:x\"]").expect_err("refused").to_string();
        assert!(error.contains("the limit of a queue is a number"), "{error}");
        let error = Config::parse("heartbeat_seconds = -1.0").expect_err("refused").to_string();
        assert!(error.contains("-1 seconds"), "{error}");
    }
}
