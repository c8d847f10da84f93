//! Events and log chunks of running attempts.

use jiff::Timestamp;

use super::Lease;
use crate::run::Json;

/// Events to add to one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// By which right.
    pub lease: Lease,
    /// What happened, oldest first.
    pub events: Vec<NewEvent>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// What sort.
    pub kind: EventKind,
    /// The content.
    pub data: Json,
}

impl NewEvent {
    /// What it says was used up, unit by unit: `{"usage": {"tokens": 120}}` in an event of that kind. Names that are too
    /// long or empty cannot be charged for.
    pub fn usage(&self) -> Vec<(String, u64)> {
        #[derive(serde::Deserialize)]
        struct Said {
            usage: std::collections::BTreeMap<String, u64>,
        }
        if self.kind != EventKind::Usage {
            return Vec::new();
        }
        let said = serde_json::from_str::<Said>(self.data.as_str()).map(|said| said.usage).unwrap_or_default();
        said.into_iter().filter(|(unit, _)| crate::run::check_name("unit", unit).is_ok()).collect()
    }
}

/// What sort of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Output of the work.
    Log,
    /// How far it has come.
    Progress,
    /// What it has used up.
    Usage,
}

impl EventKind {
    const ALL: [EventKind; 3] = [EventKind::Log, EventKind::Progress, EventKind::Usage];

    /// Its name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            EventKind::Log => "log",
            EventKind::Progress => "progress",
            EventKind::Usage => "usage",
        }
    }

    /// The kind that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A stored event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// From 1 upwards within the run, without gaps.
    pub seq: i64,
    /// When it was stored.
    pub at: Timestamp,
    /// Of which attempt.
    pub attempt: u32,
    /// What sort.
    pub kind: EventKind,
    /// The content.
    pub data: Json,
}

/// What came of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AppendOutcome {
    /// Stored; the last event has this number.
    Appended {
        /// The run's highest sequence number.
        last: i64,
    },
    /// Not held any more: nothing was stored.
    LeaseLost,
}
