//! What work says while it runs.

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::clock::Clock;

/// One thing said; it becomes one event of the run.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// Output.
    Log {
        /// Where it came out.
        stream: Stream,
        /// A line, or a piece of one that was too long.
        text: String,
    },
    /// How far the work has come.
    Progress {
        /// From 0 to 1.
        fraction: f64,
        /// In words.
        message: Option<String>,
    },
    /// What was used up since the last such report.
    Usage {
        /// How much, of what: `tokens`, `pages`.
        amounts: BTreeMap<String, u64>,
    },
}

/// A report, and when the work made it. It may be stored much later: by the next worker, where the first was lost.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TimedReport {
    /// By the clock of the host that the work runs on; a log that an earlier release wrote has no times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// What.
    #[serde(flatten)]
    pub report: Report,
}

impl TimedReport {
    /// What is said now.
    pub fn now(report: Report) -> Self {
        Self { at: Some(Clock::Database.host_now()), report }
    }
}

/// Where output came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output, or the work's own log calls.
    Stdout,
    /// Standard error.
    Stderr,
    /// TimedReport about the output by those who collect it: where it was cut, and by how much.
    Note,
}

/// Nothing more is taken from this attempt: its lease is gone, or its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the attempt's lease is lost; nothing more is stored for it")]
pub struct Gone;

/// Where reports go.
#[async_trait]
pub trait Reporter: Send + Sync + 'static {
    /// Stores reports, in order; answers with the number of the last event once they are stored.
    async fn report(&self, reports: Vec<Report>) -> Result<i64, Gone>;

    /// As [`Reporter::report`], for what was said earlier.
    async fn relay(&self, said: Vec<TimedReport>) -> Result<i64, Gone> {
        self.report(said.into_iter().map(|said| said.report).collect()).await
    }

    /// How many reports of this attempt are stored after the event of that number, so that a successor neither repeats
    /// nor omits any.
    async fn reported_since(&self, event: i64) -> Result<u64, Gone>;
}
