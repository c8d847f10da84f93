//! The names people give to things: short, printable, never empty.

use std::sync::Arc;

/// A name that was refused, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// Nothing but the empty string was given.
    #[error("{what} is empty; give 1 to {MAX_BYTES} bytes of text")]
    Empty {
        /// The kind of name.
        what: &'static str,
    },
    /// More characters than any name may have.
    #[error("{what} is {length} bytes long; at most {MAX_BYTES} are allowed")]
    TooLong {
        /// The kind of name.
        what: &'static str,
        /// What was given.
        length: usize,
    },
    /// Control characters cannot be shown, logged or compared by eye.
    #[error("{what} contains the control character U+{:04X}; give printable text", u32::from(*.found))]
    Control {
        /// The kind of name.
        what: &'static str,
        /// The first one found.
        found: char,
    },
}

const MAX_BYTES: usize = 200;

pub(crate) fn check(what: &'static str, text: &str) -> Result<(), InvalidName> {
    if text.is_empty() {
        return Err(InvalidName::Empty { what });
    }
    if text.len() > MAX_BYTES {
        return Err(InvalidName::TooLong { what, length: text.len() });
    }
    match text.chars().find(|c| c.is_control()) {
        Some(found) => Err(InvalidName::Control { what, found }),
        None => Ok(()),
    }
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $what:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            /// Checks that `text` is 1 to 200 bytes without control characters.
            pub fn parse(text: impl Into<std::sync::Arc<str>>) -> Result<Self, $crate::run::InvalidName> {
                let text = text.into();
                $crate::run::check_name($what, &text)?;
                Ok(Self(text))
            }

            /// The name itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::run::InvalidName;
            fn from_str(text: &str) -> Result<Self, $crate::run::InvalidName> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::run::InvalidName;
            fn try_from(text: String) -> Result<Self, $crate::run::InvalidName> {
                Self::parse(text)
            }
        }
    )+};
}

pub(crate) use names;

names! {
    /// The tenant a run belongs to.
    WorkspaceName, "workspace";
    /// A kind of work.
    TaskName, "task";
    /// A stream of runs within a workspace.
    QueueName, "queue";
    /// A serial key within a workspace: at most one of its runs is running.
    LaneName, "lane";
    /// The machine a worker runs on.
    HostName, "host";
    /// The caller's name for a run that has not started, by which it can be kept or replaced.
    RunKey, "key";
    /// The caller's name for one request, by which a repeated submission is recognised.
    IdempotencyKey, "idempotency key";
}

impl Default for WorkspaceName {
    fn default() -> Self {
        Self(Arc::from("default"))
    }
}

impl Default for QueueName {
    fn default() -> Self {
        Self(Arc::from("default"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_printable_text() {
        assert_eq!(TaskName::parse("resize image ✓").map(|n| n.to_string()), Ok("resize image ✓".into()));
        assert_eq!(TaskName::parse(""), Err(InvalidName::Empty { what: "task" }));
        assert_eq!(LaneName::parse("a\nb"), Err(InvalidName::Control { what: "lane", found: '\n' }));
        assert_eq!(QueueName::parse("x".repeat(201)), Err(InvalidName::TooLong { what: "queue", length: 201 }));
    }

    #[test]
    fn a_refusal_names_the_field() {
        let refusal = LaneName::parse("a\0b").map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(refusal, Err("lane contains the control character U+0000; give printable text".into()));
    }
}
