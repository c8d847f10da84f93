//! The settings of a task that is a program, and what makes them unusable.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::run::lifecycle::Retry;

/// Names whose values the executor sets.
const RESERVED: [&str; 10] = [
    "RUNLANE_RUN_ID",
    "RUNLANE_ATTEMPT",
    "RUNLANE_EPOCH",
    "RUNLANE_INPUT",
    "RUNLANE_OUTPUT_DIR",
    "RUNLANE_RESULT",
    "RUNLANE_TASK",
    "RUNLANE_WORKSPACE",
    "RUNLANE_GRANT_ID",
    "RUNLANE_BILLING_ACCOUNT",
];

/// As in `sysexits.h`: usage, data, input, permission, configuration. Another attempt would find the same.
const NO_RETRY_EXIT_CODES: [u8; 5] = [64, 65, 66, 77, 78];
/// As in `sysexits.h`: a temporary failure.
const RETRY_LATER_EXIT_CODES: [u8; 1] = [75];

/// A program and the conditions it runs under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProcessTask {
    /// The program and its arguments, as they are: no shell reads them. A name without a slash is looked for in the
    /// `PATH` that the program gets; a path with one starts from `cwd`.
    pub command: Vec<String>,
    /// Where it runs; where the worker was started, if nothing is said.
    pub cwd: Option<PathBuf>,
    /// Variables with fixed values.
    pub env: BTreeMap<String, String>,
    /// Variables of the worker that are passed on, beside `PATH`. No others are.
    pub env_allow: Vec<String>,
    /// How long it may take to end after it was asked to, before it is killed.
    pub stop_grace_seconds: u64,
    /// What it may use.
    pub limits: ProcessLimits,
    /// Exit codes after which it is not tried again.
    pub no_retry_exit_codes: Vec<u8>,
    /// Exit codes after which it is tried later, which burns no attempt.
    pub retry_later_exit_codes: Vec<u8>,
    /// As whom it runs; as whom the worker does, if nothing is said. Takes a worker that is root.
    pub user: Option<ProcessUser>,
}

/// What a program may use. What is not set is limited only by the system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProcessLimits {
    /// CPU time, of each process.
    pub cpu_seconds: Option<u64>,
    /// Address space, of each process.
    pub memory_bytes: Option<u64>,
    /// Open files, of each process.
    pub open_files: Option<u64>,
    /// Processes and threads of its user on the whole machine; does not bind root.
    pub processes: Option<u64>,
    /// The size of any one file it writes.
    pub file_bytes: Option<u64>,
    /// All files of the output directory together.
    pub output_bytes: u64,
    /// What is kept of its output; the middle of more is cut. A line counts 32 bytes more than it has.
    pub log_bytes: u64,
    /// The size of its result.
    pub result_bytes: u64,
}

/// A user and a group, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessUser {
    /// The user.
    pub uid: u32,
    /// The group; there are no others.
    pub gid: u32,
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {why}")]
pub struct InvalidTask {
    /// Which.
    pub field: String,
    /// Why not.
    pub why: String,
}

impl Default for ProcessTask {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            cwd: None,
            env: BTreeMap::new(),
            env_allow: Vec::new(),
            stop_grace_seconds: 10,
            limits: ProcessLimits::default(),
            no_retry_exit_codes: NO_RETRY_EXIT_CODES.into(),
            retry_later_exit_codes: RETRY_LATER_EXIT_CODES.into(),
            user: None,
        }
    }
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self {
            cpu_seconds: None,
            memory_bytes: None,
            open_files: None,
            processes: None,
            file_bytes: None,
            output_bytes: 1 << 30,
            log_bytes: 1 << 20,
            result_bytes: 1 << 20,
        }
    }
}

impl ProcessTask {
    /// A program with the usual conditions.
    pub fn new<S: Into<String>>(command: impl IntoIterator<Item = S>) -> Self {
        Self { command: command.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    pub(super) fn stop_grace(&self) -> Duration {
        Duration::from_secs(self.stop_grace_seconds)
    }

    /// What an exit code says about another attempt.
    pub(super) fn after_exit(&self, code: i32) -> Retry {
        let is_in = |codes: &[u8]| codes.iter().any(|known| i32::from(*known) == code);
        match () {
            () if is_in(&self.no_retry_exit_codes) => Retry::Never,
            () if is_in(&self.retry_later_exit_codes) => Retry::Later(None),
            () => Retry::Backoff,
        }
    }

    /// Everything that makes it unusable here, for whoever checks settings before they are used.
    pub fn problems(&self) -> Vec<InvalidTask> {
        let checks = [
            self.check_command(),
            self.check_environment(),
            self.limits.check(),
            self.check_exit_codes(),
            self.check_user(),
            self.check_directory(),
        ];
        checks.into_iter().filter_map(Result::err).collect()
    }

    /// Refuses what could not work, and fixes where it runs, so that nothing depends on where a worker is later.
    pub(super) fn checked(mut self) -> Result<Self, InvalidTask> {
        if let Some(problem) = self.problems().into_iter().next() {
            return Err(problem);
        }
        self.cwd = Some(self.directory()?);
        Ok(self)
    }

    fn check_command(&self) -> Result<(), InvalidTask> {
        if self.command.first().is_none_or(String::is_empty) {
            return Err(invalid("command", "is empty; name a program and its arguments"));
        }
        match self.command.iter().any(|word| word.contains('\0')) {
            true => Err(invalid("command", "contains a NUL character")),
            false => Ok(()),
        }
    }

    fn check_environment(&self) -> Result<(), InvalidTask> {
        let names = self.env.keys().map(|name| ("env", name)).chain(self.env_allow.iter().map(|n| ("env_allow", n)));
        for (field, name) in names {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(invalid(field, format!("has {name:?}, which cannot be the name of a variable")));
            }
            if RESERVED.contains(&name.as_str()) {
                return Err(invalid(field, format!("has {name}, which is set for every attempt")));
            }
        }
        match self.env.iter().find(|(_, value)| value.contains('\0')) {
            Some((name, _)) => Err(invalid("env", format!("has {name} with a NUL character in its value"))),
            None => Ok(()),
        }
    }

    fn check_exit_codes(&self) -> Result<(), InvalidTask> {
        let (never, later) = (&self.no_retry_exit_codes, &self.retry_later_exit_codes);
        for (field, codes) in [("no_retry_exit_codes", never), ("retry_later_exit_codes", later)] {
            if codes.contains(&0) {
                return Err(invalid(field, "has 0, which means success; give codes from 1 to 255"));
            }
        }
        match never.iter().find(|code| later.contains(code)) {
            Some(code) => Err(invalid(
                "no_retry_exit_codes",
                format!("has {code}, and so has retry_later_exit_codes; choose one"),
            )),
            None => Ok(()),
        }
    }

    fn check_user(&self) -> Result<(), InvalidTask> {
        let Some(user) = self.user else { return Ok(()) };
        if user.uid == u32::MAX || user.gid == u32::MAX {
            return Err(invalid("user", format!("has {}, which is nobody's number", u32::MAX)));
        }
        let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
        if uid.is_root() || (uid.as_raw(), gid.as_raw()) == (user.uid, user.gid) {
            return Ok(());
        }
        let why =
            format!("is {}:{}, but a worker that is not root can only run programs as itself", user.uid, user.gid);
        Err(invalid("user", why))
    }

    fn check_directory(&self) -> Result<(), InvalidTask> {
        self.directory().map(drop)
    }

    fn directory(&self) -> Result<PathBuf, InvalidTask> {
        let named = self.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
        let refused = |why: String| invalid("cwd", format!("{}: {why}", named.display()));
        let path = named.canonicalize().map_err(|error| refused(error.to_string()))?;
        match path.is_dir() && path.to_str().is_some() {
            true => Ok(path),
            false => Err(refused("not a directory with a name in UTF-8".into())),
        }
    }
}

impl ProcessLimits {
    fn check(&self) -> Result<(), InvalidTask> {
        let limits = [
            ("cpu_seconds", self.cpu_seconds),
            ("memory_bytes", self.memory_bytes),
            ("open_files", self.open_files),
            ("processes", self.processes),
            ("file_bytes", self.file_bytes),
            ("output_bytes", Some(self.output_bytes)),
            ("log_bytes", Some(self.log_bytes)),
            ("result_bytes", Some(self.result_bytes)),
        ];
        match limits.iter().find(|(_, limit)| *limit == Some(0)) {
            Some((name, _)) => Err(invalid(&format!("limits.{name}"), "is 0; nothing could run")),
            None => Ok(()),
        }
    }
}

fn invalid(field: &str, why: impl Into<String>) -> InvalidTask {
    InvalidTask { field: field.into(), why: why.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let task: ProcessTask = toml::from_str(text).expect("well-formed");
        task.checked().expect_err("refused").to_string()
    }

    #[test]
    fn a_task_is_read_with_defaults_and_unknown_keys_are_refused() {
        let task: ProcessTask = toml::from_str("command = [\"true\"]\n[limits]\nopen_files = 64").expect("a task");
        assert_eq!((task.stop_grace_seconds, task.limits.open_files), (10, Some(64)));
        assert_eq!(task.limits.output_bytes, 1 << 30);
        let error = toml::from_str::<ProcessTask>("command = [\"true\"]\nshell = true").expect_err("refused");
        assert!(error.to_string().contains("shell"), "{error}");
    }

    #[test]
    fn a_refusal_names_the_field() {
        assert_eq!(refusal("command = []"), "command is empty; name a program and its arguments");
        assert_eq!(refusal("command = [\"\"]"), "command is empty; name a program and its arguments");
        assert!(refusal("command = [\"a\"]\ncwd = \"no/such/place\"").starts_with("cwd no/such/place: "));
        assert!(refusal("command = [\"a\"]\nenv = { \"A=B\" = \"c\" }").starts_with("env has \"A=B\""));
        assert!(
            refusal("command = [\"a\"]\nenv_allow = [\"RUNLANE_EPOCH\"]").starts_with("env_allow has RUNLANE_EPOCH")
        );
        let codes = "command = [\"a\"]\nno_retry_exit_codes = ";
        assert!(refusal(&format!("{codes}[0]")).starts_with("no_retry_exit_codes has 0, which means success"));
        assert!(refusal(&format!("{codes}[75]")).starts_with("no_retry_exit_codes has 75, and so has retry_later_"));
        assert_eq!(refusal("command = [\"a\"]\n[limits]\nlog_bytes = 0"), "limits.log_bytes is 0; nothing could run");
    }
}
