//! Who does what to a store, all at once. Shared with the processes of the chaos test.

mod dice;
mod drain;
mod operator;
mod submitter;
mod worker;
mod world;

use std::sync::Arc;

use runlane::store::Store;
use runlane::store::checker::{Log, Recorder};
use tokio::task::JoinSet;

pub(crate) use drain::drain;
pub(crate) use world::{Size, prepare};

use dice::Dice;
use world::World;

/// All actors of one process, until each has done its share. `name` tells its actors from those of others. The
/// choices depend on the seed alone; who comes first is up to the machine.
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
