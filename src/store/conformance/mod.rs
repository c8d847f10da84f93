//! The sentences that every store makes true, one function each, in a file for each verb.
//!
//! `conformance_suite!` makes tests of them: see `tests/it/conformance.rs`. A new behaviour starts here and in
//! the reference model, then comes each database.

pub mod access_list;
mod adopt;
mod ahead;
mod at_once;
mod attempts;
mod audit;
mod bounded_queue;
mod builders;
mod cancel;
mod claim;
mod claim_along;
mod claim_known;
mod counts;
mod dependencies;
mod enqueue;
mod events;
mod expire;
mod finish;
mod hand_over;
mod harness;
mod idempotency;
mod lane_holds;
mod lanes;
pub mod list;
mod look;
mod pause_resume;
mod postponements;
mod prelude;
mod promote;
mod prune;
mod queues;
mod reads;
mod ready_signal;
mod reap;
mod release;
mod renew;
mod rerun;
mod retries;
mod routing;
mod run_keys;
mod schedule_grants;
pub mod schedule_list;
mod schedule_names;
mod schedule_usage;
mod schedules;
mod sentences;
mod short_ids;
mod submit;
mod tokens;
mod turns;
mod workers;
mod workspaces;

pub use harness::{Bench, START};
