//! What is wrong with a configuration, and where.

use std::fmt;

use crate::cli::usage::without_os_codes;

use serde_json::{Value, json};

/// Where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Origin {
    /// Nowhere.
    Default,
    File(Place),
    /// A variable of the environment.
    Variable(String),
    /// As it is typed.
    Flag(String),
}

/// A place in a file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Place {
    pub(in crate::cli) file: String,
    pub(in crate::cli) line: usize,
    pub(in crate::cli) column: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Level {
    /// Nothing starts with it.
    Error,
    /// It may be as it should be: somebody should look.
    Warning,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Problem {
    pub(in crate::cli) level: Level,
    pub(in crate::cli) at: Origin,
    pub(in crate::cli) message: String,
    /// What could have been meant, as a question.
    pub(in crate::cli) hint: Option<String>,
}

/// Why a configuration cannot be used: all of it, a line each.
#[derive(Debug, thiserror::Error)]
#[error("the configuration is invalid\n{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub(in crate::cli) struct Wrong(pub(in crate::cli) Vec<Problem>);

impl Problem {
    pub(in crate::cli) fn is_error(&self) -> bool {
        self.level == Level::Error
    }

    /// With what could have been meant.
    pub(in crate::cli) fn words(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}; {hint}", self.message),
            None => self.message.clone(),
        }
    }

    pub(in crate::cli) fn as_json(&self) -> Value {
        json!({"level": self.level.word(), "at": self.at.as_json(), "message": self.message, "hint": self.hint})
    }
}

/// As compilers say it, so that editors find the place.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.at, self.level.word(), without_os_codes(&self.words()))
    }
}

impl Level {
    pub(in crate::cli) fn word(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

impl Origin {
    pub(in crate::cli) fn as_json(&self) -> Value {
        match self {
            Origin::Default => json!({"kind": "default"}),
            Origin::File(place) => {
                json!({"kind": "file", "file": place.file, "line": place.line, "column": place.column})
            }
            Origin::Variable(name) => json!({"kind": "environment", "variable": name}),
            Origin::Flag(flag) => json!({"kind": "flag", "flag": flag}),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(place) => write!(f, "{place}"),
            Origin::Variable(name) => f.write_str(name),
            Origin::Flag(flag) => f.write_str(flag),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
