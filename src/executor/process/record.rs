//! What is written down about an attempt: what the shim is to do, who it is, and how the work ended.

use serde::{Deserialize, Serialize};

use super::foreign::Origin;
use super::identity::Identity;
use super::lease::Lease;
use super::task::ProcessTask;
use crate::run::{RunId, WorkspaceName};

/// What the shim is to do, and for whom.
#[derive(Serialize, Deserialize)]
pub(super) struct Spec {
    pub workspace: WorkspaceName,
    pub run: RunId,
    pub attempt: u32,
    /// Of the worker that begins it. Where another took over, the shim ends with the attempt: nobody else could tell that
    /// from the shim going on to the next one.
    pub epoch: i64,
    /// When the worker's own lease ends, in milliseconds since the machine was started. Work that runs may outlast it,
    /// to be adopted, but a worker that slept through it must not begin any.
    pub start_by: u64,
    /// How long the work may go on, until a file says otherwise.
    pub lease: Lease,
    pub task: ProcessTask,
    /// The directory that was made for it: in any other, nothing is begun.
    #[serde(default)]
    pub origin: Option<Origin>,
}

/// Who looks after the work, and who does it. The shim has a lock on the file for as long as it does: by then, it has
/// written the exit record, or is dead, and may have gone on to another attempt.
#[derive(Serialize, Deserialize)]
pub(super) struct Shim {
    /// Whose run it is, so that what is left over can be judged; unknown where an older release wrote it.
    #[serde(default)]
    pub workspace: Option<WorkspaceName>,
    pub shim: Identity,
    /// The leader of the work's session; none until it was started.
    pub child: Option<Identity>,
    /// Which directory this is; unknown where an older release wrote it.
    #[serde(default)]
    pub origin: Option<Origin>,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub why: Why,
    /// The last lines on standard error.
    pub last_words: Vec<String>,
    /// What it last said about another attempt; nothing also where an older release wrote the record.
    #[serde(default)]
    pub retry: Option<RetryWish>,
}

/// What a program says about another attempt, should it fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RetryWish {
    /// As if it had said nothing, whatever its exit code is.
    Usual,
    Never,
    InSeconds(u32),
}

/// Why it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Why {
    /// By itself.
    Exited,
    /// A worker or the system told it to.
    Stopped,
    /// Nobody renewed the lease.
    LeaseExpired,
    /// The output directory became too large.
    OutputLimit,
    /// There is more in the output directory, or it is deeper, than is looked through.
    OutputTree,
    /// The lease was over, or told to stop, before it began.
    NeverStarted,
    /// The program could not be executed.
    StartFailed(StartError),
}

/// Why a program could not be executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StartError {
    pub code: String,
    pub message: String,
}

impl Exit {
    pub fn without_work(why: Why) -> Self {
        Self { code: None, signal: None, why, last_words: Vec::new(), retry: None }
    }
}

impl StartError {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }
}
