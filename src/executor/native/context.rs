//! What a function knows of its attempt, and how it speaks about it.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;

use crate::executor::{Control, Gone, Report, Stream, Work};
use crate::run::{RunId, TaskName, WorkspaceName};
use crate::schedule::Grant;

/// The attempt, as its function sees it. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    work: std::sync::Arc<Work>,
    control: Control,
    token: CancellationToken,
}

impl Context {
    pub(super) fn new(work: Work, control: Control) -> Self {
        Self { work: work.into(), control, token: CancellationToken::new() }
    }

    /// Cancelled when the work is to stop: the run was cancelled or paused, took too long, or the worker shuts down.
    /// What has not stopped after the task's grace is dropped at its next await.
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Whether the work is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Waits until the work is to stop.
    pub async fn cancelled(&self) {
        self.token.cancelled().await;
    }

    /// The run.
    pub fn run_id(&self) -> RunId {
        self.work.run
    }

    /// Whose it is.
    pub fn workspace(&self) -> &WorkspaceName {
        &self.work.workspace
    }

    /// Its kind.
    pub fn task(&self) -> &TaskName {
        &self.work.task
    }

    /// Which try this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.work.attempt
    }

    /// Whether there will be no other try.
    pub fn is_last_attempt(&self) -> bool {
        self.work.attempt >= self.work.max_attempts
    }

    /// Rises with every claim of the run: a fencing token for writes to other systems.
    pub fn epoch(&self) -> i64 {
        self.work.epoch
    }

    /// On whose behalf a scheduled run executes, and who pays.
    pub fn grant(&self) -> Option<&Grant> {
        self.work.grant.as_ref()
    }

    /// The W3C trace context of this attempt, for the calls it makes.
    pub fn traceparent(&self) -> Option<&str> {
        self.work.traceparent.as_deref()
    }

    /// Adds a line to the run's log. Answers when it is stored.
    pub async fn log(&self, text: impl Into<String>) -> Result<(), Gone> {
        self.report(Report::Log { stream: Stream::Stdout, text: text.into() }).await
    }

    /// Says how far the work has come, from 0 to 1.
    pub async fn progress(&self, fraction: f64, message: impl Into<String>) -> Result<(), Gone> {
        let message = Some(message.into()).filter(|message| !message.is_empty());
        self.report(Report::Progress { fraction: fraction.clamp(0.0, 1.0), message }).await
    }

    /// Says what was used up since the last time.
    pub async fn usage(&self, unit: impl Into<String>, amount: u64) -> Result<(), Gone> {
        self.report(Report::Usage { amounts: BTreeMap::from([(unit.into(), amount)]) }).await
    }

    async fn report(&self, report: Report) -> Result<(), Gone> {
        self.control.report(vec![report]).await.map(drop)
    }
}
