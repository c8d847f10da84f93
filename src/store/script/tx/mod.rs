//! What a database must be able to do within one transaction: a trait for each subject, and a file of SQL for each method. They
//! move rows and decide nothing.

mod access;
mod attempts;
mod claims;
mod grants;
mod lanes;
mod maintenance;
mod queues;
mod reads;
mod runs;
mod schedules;
mod submission;
mod waits;
mod workers;

use std::future::Future;

use jiff::{SignedDuration, Timestamp};

pub(in crate::store) use access::AccessTx;
pub(in crate::store) use attempts::{AttemptTx, Ended};
pub(in crate::store) use claims::{ClaimTx, Place, ReadyStreams, Stream, Turn};
pub(in crate::store) use grants::{Charge, GrantTx};
pub(in crate::store) use lanes::{Front, LaneTx};
pub(in crate::store) use maintenance::{FoundDue, MaintenanceTx};
pub(in crate::store) use queues::{QueueTx, Room};
pub(in crate::store) use reads::ReadTx;
pub(in crate::store) use runs::RunTx;
pub(in crate::store) use schedules::{ScheduleChange, ScheduleTx};
pub(in crate::store) use submission::{Remembered, SubmissionTx};
pub(in crate::store) use waits::WaitTx;
pub(in crate::store) use workers::WorkerTx;

use crate::run::{LaneName, QueueName, WorkspaceName};
use crate::store::Result;

pub(in crate::store) type LaneKey = (WorkspaceName, LaneName);
pub(in crate::store) type QueueKey = (WorkspaceName, QueueName);

/// One open transaction. Statements that lock do so in order of id; those that read what a lock protects are
/// separate statements, so that they see what was committed while the lock was waited for.
pub(in crate::store) trait Tx:
    SubmissionTx
    + RunTx
    + WaitTx
    + LaneTx
    + QueueTx
    + ClaimTx
    + AttemptTx
    + AccessTx
    + WorkerTx
    + GrantTx
    + ScheduleTx
    + ReadTx
    + MaintenanceTx
{
    /// The time now: asked again each time, since locks may have been waited for.
    fn now(&mut self) -> impl Future<Output = Result<Timestamp>> + Send;

    /// Something may have become ready for a claim: workers that wait are notified after the commit.
    fn made_ready(&mut self);

    /// A run was put off for so long: the promote pass is notified after the commit.
    fn put_off(&mut self, wait: SignedDuration);

    /// The next statement is the last of the transaction, whatever it answers: its commit need not wait for that, nor need
    /// the notification of other processes, if it may have made something ready.
    fn commit_with_next(&mut self, _may_make_ready: bool) {}
}
