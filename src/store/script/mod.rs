//! The verbs, written once for every SQL database over its primitive statements.
//!
//! A database brings [`Tx`], statements that move rows and decide nothing, each a file of SQL with the same name everywhere; and
//! [`Database`], which runs verbs in transactions. What may happen is decided by the lifecycle; what follows from it for lanes and
//! for waiting runs is written here. `store.rs` and `schedules.rs` make a store of it.
//!
//! The order of locks is the same in every verb, so that deadlocks are rare: the admission lock where a queue size is set, then
//! runs, in order of id, then grants and schedules, then lanes, by name. Promoting the next run of a lane locks that run last. If
//! another verb has locked it and waits for the lane, the database detects the deadlock, and one of the two is retried.

mod access;
mod apply;
mod cell;
mod chain;
mod claim;
mod claim_ahead;
mod columns;
mod command;
mod database;
mod finish;
mod freed;
mod lanes;
mod maintain;
mod operate;
mod reads;
mod record;
mod schedule;
mod schedule_record;
mod schedules;
mod statements;
mod store;
mod streams;
mod submission;
mod submit;
mod template;
mod tx;
mod usage;

use access::{create_token, revoke_token};
use apply::{Change, apply};
#[cfg(feature = "postgres")]
pub(super) use cell::Kind;
pub(super) use cell::{CellReader, Value};
use claim::claim;
#[cfg(feature = "postgres")]
pub(super) use columns::Column;
pub(super) use columns::{Positions, read_run, retry_text, to_i32};
use command::{command, rerun, rerun_again};
pub(super) use database::{Database, OnLostCommit, SqlStore};
use finish::{append, finish, finish_and_claim, release, renew};
use lanes::{release_lane, set_lane_policy};
use maintain::{expire, promote, prune, reap};
use operate::{drain, set_queue};
use reads::{attempts, check_grant, events, waits};
pub(super) use record::{bad_name, to_u32};
use schedule::{
    create_grant, create_grant_again, create_schedule, create_schedule_again, delete_schedule, edit_schedule,
    revoke_grant, revoke_grant_again, sweep_schedules,
};
pub(super) use schedule_record::{GrantRecord, ScheduleRecord};
pub(super) use statements::{statements, steps};
pub(super) use streams::{Interest, LastSeen, MOST_STREAMS, StreamKey, last_seen};
#[cfg(feature = "postgres")]
pub(super) use submission::submission;
#[cfg(feature = "postgres")]
pub(super) use submit::bytes;
pub(super) use template::{Columns, Dialect, expand};
pub(super) use tx::{
    AccessTx, AttemptTx, Charge, ClaimTx, Ended, FoundDue, Front, GrantTx, LaneKey, LaneTx, MaintenanceTx, Place,
    QueueKey, QueueTx, ReadTx, ReadyStreams, Remembered, Room, RunTx, ScheduleChange, ScheduleTx, Stream, SubmissionTx,
    Turn, Tx, WaitTx, WorkerTx,
};
pub(super) use usage::day_since_1970;
