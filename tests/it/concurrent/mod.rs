//! Many actors at once on one store, and what the checker says of it.

pub(crate) mod dice;
mod drain;
mod operator;
mod submitter;
mod worker;
mod world;

use std::sync::Arc;

use runlane::store::history::{Final, History, Log, Recorder, check};
use runlane::store::{Admission, Store};
use tokio::task::JoinSet;

pub(crate) use drain::drain;
pub(crate) use world::{Size, World, prepare};

use dice::Dice;

/// Prepares the store, lets everyone loose on it, and drains it. The choices depend on the seed alone; who comes
/// first is up to the machine.
pub(crate) async fn workload(store: Arc<dyn Store>, seed: u64, size: Size) -> History {
    let log = Log::in_memory(size.clock.clone());
    let admission = Admission { queue_size: size.queue_size };
    prepare(&*store).await;
    let recorder = Recorder::new(store.clone(), "setup", log.clone());
    world::limit_queues(&recorder).await;
    bustle(store.clone(), "one", seed, size, log.clone()).await;
    drain(Arc::new(Recorder::new(store, "drain", log.clone())), admission).await;
    log.history()
}

/// All actors of one process, until each has done its share. `name` tells its actors from those of others.
pub(crate) async fn bustle(store: Arc<dyn Store>, name: &str, seed: u64, size: Size, log: Arc<Log>) {
    let world = Arc::new(World::new(size));
    let mut dice = Dice::new(seed);
    let mut actors = JoinSet::new();
    let recorder = |role: &str, at: usize| -> Arc<dyn Store> {
        Arc::new(Recorder::new(store.clone(), format!("{name}/{role}-{at}"), log.clone()))
    };
    for at in 0..world.size.submitters {
        actors.spawn(submitter::submit_all(recorder("submitter", at), world.clone(), at, dice.fork()));
    }
    for at in 0..world.size.operators {
        actors.spawn(operator::operate(recorder("operator", at), world.clone(), dice.fork()));
    }
    let mut servants = JoinSet::new();
    for at in 0..world.size.workers {
        servants.spawn(worker::work(recorder("worker", at), world.clone(), at, dice.fork()));
    }
    for at in 0..2 {
        servants.spawn(operator::maintain(recorder("maintenance", at), world.clone()));
    }
    // Whoever asks for work stops by itself; those who do it stop when nobody asks any more.
    while let Some(done) = actors.join_next().await {
        done.expect("an actor does not panic");
    }
    world.stop();
    while let Some(done) = servants.join_next().await {
        done.expect("a worker does not panic");
    }
}

/// The verdict on a workload that was drained: broken promises, errors of the store, and runs left behind.
pub(crate) async fn verdict(store: &dyn Store, history: &History) -> Vec<String> {
    let last = Final::read(store).await.expect("the store can be read");
    let mut found: Vec<String> = check(history, &last).iter().map(ToString::to_string).collect();
    found.extend(history.errors().iter().map(|error| format!("the store failed: {error}")));
    let left = last.runs.iter().filter(|run| run.is_live());
    found.extend(left.map(|run| format!("run {} was left {}", run.id, run.status)));
    found
}
