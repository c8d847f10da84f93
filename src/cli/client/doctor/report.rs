//! What was found: a line for each check, ok, warn or fail, with what to do.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::client::render::{Paint, counted, plain};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    Ok,
    Warn,
    Fail,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) level: Level,
    pub(super) message: String,
    pub(super) remedy: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, level: Level::Ok, message: message.into(), remedy: None }
    }

    pub(super) fn warn(name: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, level: Level::Warn, message: message.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn fail(name: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, level: Level::Fail, message: message.into(), remedy: Some(remedy.into()) }
    }
}

pub(super) fn as_json(checks: &[Check]) -> Value {
    json!({"checks": checks})
}

pub(super) fn as_text(checks: &[Check], paint: Paint) -> String {
    let mut text = String::new();
    for check in checks {
        let word = match check.level {
            Level::Ok => "ok",
            Level::Warn => "warn",
            Level::Fail => "fail",
        };
        let gap = " ".repeat(6 - word.len());
        let _ = writeln!(text, "{}{gap}{:<10}{}", paint.status(word), check.name, plain(&check.message));
        if let Some(remedy) = &check.remedy {
            let _ = writeln!(text, "{:16}{} {}", "", paint.quiet("→"), plain(remedy));
        }
    }
    let count = |level: Level| checks.iter().filter(|check| check.level == level).count() as u64;
    let summary = match (count(Level::Fail), count(Level::Warn)) {
        (0, 0) => "all is well".into(),
        (0, warnings) => counted(warnings, "warning"),
        (failures, 0) => counted(failures, "failure"),
        (failures, warnings) => format!("{}, {}", counted(failures, "failure"), counted(warnings, "warning")),
    };
    text + "\n" + &summary + "\n"
}
