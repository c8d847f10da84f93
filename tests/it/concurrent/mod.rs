//! Many actors at once on one store, and what the checker says of it.

mod actors;

use std::sync::Arc;

use runlane::clock::Clock;
use runlane::store::checker::{FinalState, Log, Recorder, Recording, check};
use runlane::store::{Admission, Store};

pub(crate) use actors::Size;
use actors::{bustle, drain, prepare};

/// Prepares the store, which follows its own clock, lets everyone loose on it, and drains it.
pub(crate) async fn workload(store: Arc<dyn Store>, seed: u64, size: Size) -> Recording {
    let log = Log::in_memory(Clock::Database);
    let admission = Admission { queue_size: size.queue_size };
    prepare(&Recorder::new(store.clone(), "setup", log.clone())).await;
    bustle(store.clone(), "one", seed, size, log.clone()).await;
    drain(Arc::new(Recorder::new(store, "drain", log.clone())), admission).await;
    log.recording()
}

/// The verdict on a workload that was drained.
pub(crate) async fn verdict(store: &dyn Store, recording: &Recording) -> Vec<String> {
    judge(recording, &FinalState::read(store).await.expect("the store can be read"))
}

/// Broken promises, errors of the store, and runs left behind.
pub(crate) fn judge(recording: &Recording, last: &FinalState) -> Vec<String> {
    let mut found: Vec<String> = check(recording, last).iter().map(ToString::to_string).collect();
    found.extend(recording.errors().iter().map(|error| format!("the store failed: {error}")));
    let left = last.runs.iter().filter(|run| run.is_live());
    found.extend(left.map(|run| format!("run {} was left {}", run.id, run.status)));
    found
}

/// The seed to use: the one of `RUNLANE_SEED`, or a new one. It is printed, so that a failure can be replayed.
pub(crate) fn seed() -> u64 {
    let given = std::env::var("RUNLANE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| runlane::run::RunId::new().0.as_u64_pair().1);
    eprintln!("RUNLANE_SEED={seed}");
    seed
}
