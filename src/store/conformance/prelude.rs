//! What every sentence may say without asking.

pub(super) use super::builders::*;
pub(super) use super::harness::*;
pub(super) use crate::run::lifecycle::{Command, CommandOutcome, FREE_INTERRUPTIONS, Outcome, Release, Retry};
pub(super) use crate::run::{
    Attempt, BlockedBy, Ending, Jitter, KeyMode, Run, RunError, RunId, State, Status, Stop, Tenure, WorkerId,
};
pub(super) use crate::store::{
    Admission, Append, AppendOutcome, Claimed, Count, Duty, EventKind, Finish, FinishOutcome, LanePolicy, Lease,
    NewEvent, Page, Promoted, Pruned, QueueChange, QueueSettings, ReleaseLease, Renewal, RerunOutcome, Retention,
    RunFilter, SubmitOutcome,
};
