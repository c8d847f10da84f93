//! How an attempt runs: start it, adopt it, stop it. Knows no store; what the work reports goes through [`Reporter`].

mod control;
pub mod native;
#[cfg(target_os = "linux")]
pub mod process;
mod report;

pub use control::{Control, ControlSender, Order};
pub use report::{Gone, Report, Reporter, Stream, TimedReport};

use std::time::Duration;

use async_trait::async_trait;

use crate::run::lifecycle::Retry;
use crate::run::{Json, QueueName, RunError, RunId, TaskName, WorkspaceName};
use crate::schedule::Grant;

/// Work may ask to be tried again no sooner than after this,
pub const SHORTEST_POSTPONEMENT: Duration = Duration::from_secs(1);
/// and no later.
pub const LONGEST_POSTPONEMENT: Duration = Duration::from_secs(7 * 86_400);

/// A kind of work that can be executed.
#[async_trait]
pub trait Executor: Send + Sync + 'static {
    /// Begins the attempt and sees it to its end.
    async fn start(&self, work: &Work, control: Control) -> Completion;

    /// Takes over an attempt that another worker began, or this one before it was restarted, and sees it to its end.
    /// Work that lived in the memory of a process is gone with it.
    async fn adopt(&self, work: &Work, control: Control) -> Completion {
        let _ = (work, control);
        Completion::NotFound
    }

    /// Called when the outcome of the attempt is stored, so that what was kept for it can go.
    async fn discard(&self, work: &Work) {
        let _ = work;
    }

    /// Whether the work goes on when its worker does not, and can be adopted.
    fn is_detachable(&self) -> bool {
        false
    }
}

/// What one attempt is to do.
#[derive(Clone, Debug)]
pub struct Work {
    /// The run.
    pub run: RunId,
    /// Whose it is.
    pub workspace: WorkspaceName,
    /// Its kind.
    pub task: TaskName,
    /// Where it waited.
    pub queue: QueueName,
    /// Which try this is, from 1.
    pub attempt: u32,
    /// How many there may be.
    pub max_attempts: u32,
    /// The claim or adoption by which it is executed.
    pub epoch: i64,
    /// Its input.
    pub payload: Json,
    /// The W3C trace context of this attempt, to be handed on to whatever it calls.
    pub traceparent: Option<String>,
    /// On whose behalf a scheduled run executes, and who pays: never anybody's session.
    pub grant: Option<Grant>,
}

/// How an execution ended, or why it is not followed any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The work is done.
    Succeeded {
        /// What it produced.
        output: Option<Json>,
    },
    /// The work failed.
    Failed {
        /// Why.
        error: RunError,
        /// Whether to try again.
        retry: Retry,
    },
    /// It was stopped, as ordered.
    Stopped,
    /// It was ordered to stop, or left, before it began, and never did.
    NotBegun,
    /// It was left to itself, as ordered: still running, if it can.
    Left,
    /// There was nothing to adopt, and nothing of it is running.
    NotFound,
}

impl Completion {
    /// A failure after which another try may help.
    pub fn failed(code: &str, message: impl Into<String>) -> Self {
        Self::Failed { error: RunError::new(code, message), retry: Retry::Backoff }
    }
}
