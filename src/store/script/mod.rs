//! The verbs, written once for every SQL database over its primitive statements.
//!
//! A database brings [`Tx`]: some forty statements, each a file of SQL with the same name everywhere, that move
//! rows and decide nothing. What may happen is decided by the lifecycle; what follows from it for lanes and for
//! waiting runs is drawn here.
//!
//! The order of locks is the same in every verb, so that two verbs rarely meet head-on: the admission lock where a
//! queue size is set, then runs, in order of id, then grants and schedules, then lanes, by name. Settling a lane locks the runs at its front last;
//! when that meets a verb that has locked such a run and wants the lane, the database notices and one is tried again.

mod access;
mod apply;
mod cell;
mod chain;
mod claim;
mod claim_ahead;
mod columns;
mod command;
mod finish;
mod freed;
mod lanes;
mod maintain;
mod record;
mod schedule;
mod schedule_record;
mod schedule_tx;
mod statements;
mod streams;
mod submit;
mod template;
mod tx;
mod usage;

pub(super) use access::{create_token, revoke_token};
pub(super) use apply::{Change, apply};
pub(super) use cell::{CellReader, Kind, Value};
pub(super) use claim::claim;
pub(super) use columns::{Column, Positions, read_run, retry_text, to_i32};
pub(super) use command::{command, rerun};
pub(super) use finish::{append, finish, finish_and_claim, release, renew};
pub(super) use lanes::{release_lane, set_lane_policy};
pub(super) use maintain::{expire, promote, prune, reap};
pub(super) use record::{bad_name, to_u32};
pub(super) use schedule::{
    create_grant, create_schedule, delete_schedule, edit_schedule, revoke_grant, sweep_schedules,
};
pub(super) use schedule_record::{GrantRecord, ScheduleRecord};
pub(super) use schedule_tx::{Charge, ScheduleChange, ScheduleTx};
pub(super) use statements::{statements, steps};
pub(super) use streams::{Interest, LastSeen, MOST_STREAMS, StreamKey, last_seen};
pub(super) use submit::submit;
#[cfg(feature = "postgres")]
pub(super) use submit::{bytes, submit_looking};
pub(super) use template::{Columns, Dialect, expand};
pub(super) use tx::{Ended, FoundDue, Front, LaneKey, Place, QueueKey, Ready, Remembered, Room, Stream, Turn, Tx};
pub(super) use usage::day_since_1970;
