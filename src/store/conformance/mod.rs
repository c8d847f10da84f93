//! The sentences that every store makes true, one function each, in a file for each verb.
//!
//! `conformance_suite!` makes tests of them: see `tests/it/conformance.rs`. The lists name them by subject. A new behaviour starts
//! here and in the reference model, then comes each database.

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
pub mod lease_list;
mod look;
mod pause_resume;
mod postponements;
mod prelude;
mod promote;
mod prune;
mod queues;
pub mod readiness_list;
mod reads;
mod ready_signal;
mod reap;
pub mod record_list;
mod release;
mod renew;
pub mod request_list;
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
mod start_by;
mod submit;
mod tokens;
mod turns;
mod unanswered;
mod workers;
mod workspaces;

pub use harness::{Bench, START};

/// Makes a test of every sentence of every list. Takes the path of an async function that answers with an `Option<Bench>`: a
/// new bench, or nothing where there is no database to judge.
#[macro_export]
macro_rules! conformance_suite {
    ($make_bench:path) => {
        $crate::request_suite!($make_bench);
        $crate::readiness_suite!($make_bench);
        $crate::lease_suite!($make_bench);
        $crate::record_suite!($make_bench);
        $crate::schedule_suite!($make_bench);
        $crate::access_suite!($make_bench);
    };
}
