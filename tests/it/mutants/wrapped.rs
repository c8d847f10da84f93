//! Shows that the checker bites: the workload on the reference model, behind a wrapper that misbehaves.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::test_runner::Config;
use runlane::clock::Clock;
use runlane::store::Store;
use runlane::store::history::{Final, Rule, check};
use runlane::store::memory::MemoryStore;

use super::faulty::{Fault, Faulty};
use crate::concurrent::{Size, dice, workload};
use crate::model::difference;

/// What must be reported for each fault.
fn rule(fault: Fault) -> Rule {
    match fault {
        Fault::AcceptsStaleWords => Rule::StaleEpoch,
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

async fn broken_by(fault: Fault, seed: u64) -> BTreeSet<Rule> {
    let store = Arc::new(Faulty::new(Arc::new(MemoryStore::new(Clock::Database)), fault));
    let history = workload(store.clone(), seed, Size::usual()).await;
    let last = Final::read(&*store).await.expect("the store can be read");
    check(&history, &last).into_iter().map(|violation| violation.rule).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_is_reported() {
    let seed = dice::seed();
    let workloads = Fault::ALL.map(|fault| tokio::spawn(broken_by(fault, seed)));
    for (fault, workload) in Fault::ALL.into_iter().zip(workloads) {
        let broken = workload.await.expect("a workload ends");
        eprintln!("{fault:?}: {broken:?}");
        assert!(broken.contains(&rule(fault)), "{fault:?} must break {:?}; reported: {broken:?}", rule(fault));
    }
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
        Fault::AcceptsStaleWords,
    ];
    for fault in faults {
        let make = |clock| async move {
            let model = Arc::new(MemoryStore::new(Clock::Manual(clock)));
            Arc::new(Faulty::new(model, fault)) as Arc<dyn Store>
        };
        let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
        let found = difference(make, config, 30).unwrap_or_else(|| panic!("{fault:?} was not noticed"));
        eprintln!("{fault:?}: {}\n", found.lines().take(14).collect::<Vec<_>>().join("\n"));
    }
}
