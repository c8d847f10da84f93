//! Shows that the checker bites: the workload on the reference model, behind a wrapper that misbehaves.

use std::sync::Arc;

use proptest::test_runner::Config;
use runlane::clock::{Clock, ManualClock};
use runlane::store::Store;
use runlane::store::checker::Rule;
use runlane::store::memory::MemoryStore;

use super::faulty::{Fault, Faulty};
use super::{Sign, all_are_reported, is_reported_under_load, scenario};
use crate::concurrent::{seed, verdict};
use crate::model::difference;

/// What must be reported for each fault.
fn rule(fault: Fault) -> Rule {
    match fault {
        Fault::AcceptsStaleWrites => Rule::StaleEpoch,
        Fault::RenewsLostLeases => Rule::Expiry,
        Fault::HandsOutTwice | Fault::AdoptsWithoutEpoch => Rule::Epochs,
        Fault::TakesOverAtOnce => Rule::Takeover,
        Fault::ForgetsLanes => Rule::LaneOverlap,
        Fault::ReversesLanes => Rule::LaneOrder,
        Fault::ForgetsLimits => Rule::QueueLimit,
        Fault::ForgetsPauses => Rule::QueuePaused,
        Fault::LosesSubmissions => Rule::Lost,
        Fault::StartsCancelledRuns => Rule::StaysEnded,
        Fault::ForgetsIdempotency => Rule::Idempotency,
        Fault::ForgetsQueueSize => Rule::QueueSize,
        Fault::ForgetsKeys => Rule::RunKey,
        Fault::TriesTooOften => Rule::Attempts,
        Fault::DropsOutcomes => Rule::StaleEpoch,
    }
}

/// The reference model with a fault.
fn faulty(fault: Fault, clock: Clock) -> Arc<dyn Store> {
    Arc::new(Faulty::new(Arc::new(MemoryStore::new(clock)), fault))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fault_that_strikes_often_is_reported_under_load() {
    let faults = [
        Fault::AcceptsStaleWrites,
        Fault::HandsOutTwice,
        Fault::AdoptsWithoutEpoch,
        Fault::ForgetsLanes,
        Fault::ReversesLanes,
        Fault::ForgetsLimits,
        Fault::LosesSubmissions,
        Fault::ForgetsIdempotency,
        Fault::DropsOutcomes,
    ];
    let seed = seed();
    let workloads = faults.map(|fault| async move {
        let reported = is_reported_under_load(rule(fault), seed, async || faulty(fault, Clock::Database)).await;
        assert_eq!(reported, Ok(()), "{fault:?} must break {:?}", rule(fault));
    });
    futures::future::join_all(workloads).await;
}

#[tokio::test]
async fn the_scenario_breaks_nothing_by_itself() {
    let clock = a_clock();
    let store = Arc::new(MemoryStore::new(Clock::Manual(clock.clone())));
    let recording = scenario(store.clone(), clock).await;
    let found = verdict(&*store, &recording).await;
    assert!(found.is_empty(), "{found:#?}");
}

#[tokio::test]
async fn every_fault_that_needs_no_luck_is_reported_by_the_scenario() {
    let by_chance = [Fault::HandsOutTwice, Fault::LosesSubmissions, Fault::DropsOutcomes];
    let faults = Fault::ALL.into_iter().filter(|fault| !by_chance.contains(fault));
    all_are_reported(faults.map(|fault| (fault, Sign::Breaks(rule(fault)))), async |fault, clock| {
        faulty(*fault, clock)
    })
    .await;
}

fn a_clock() -> ManualClock {
    ManualClock::starting_at(jiff::Timestamp::UNIX_EPOCH)
}

/// Faults that show without any concurrency, so the comparison with the model must find them too.
#[test]
fn a_store_that_differs_from_the_model_is_found_out() {
    let faults = [
        Fault::ForgetsLanes,
        Fault::ForgetsLimits,
        Fault::ForgetsPauses,
        Fault::ForgetsKeys,
        Fault::ForgetsIdempotency,
        Fault::StartsCancelledRuns,
        Fault::AcceptsStaleWrites,
    ];
    for fault in faults {
        let make = |clock| async move { faulty(fault, Clock::Manual(clock)) };
        let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
        let found = difference(make, config, 30).unwrap_or_else(|| panic!("{fault:?} was not noticed"));
        assert!(found.contains("the store differs from the model after:"), "{found}");
    }
}
