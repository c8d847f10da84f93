//! People who interfere, and the passes that keep a store moving.

use std::sync::Arc;

use jiff::SignedDuration;
use runlane::run::lifecycle::Command;
use runlane::run::{Jitter, LaneName, RunId};
use runlane::store::{LanePolicy, QueueChange, Store};

use super::dice::Dice;
use super::world::{World, pause, queues, workspaces};

pub(super) async fn operate(store: Arc<dyn Store>, world: Arc<World>, mut dice: Dice) {
    for _ in 0..world.size.requests {
        pause(&mut dice, 25).await;
        // Errors are in the recording; the operator goes on.
        match dice.below(12) {
            0 => set_queue(&*store, &mut dice).await,
            1 => set_lane(&*store, &mut dice).await,
            2 => rerun(&*store, &world, &mut dice).await,
            _ => command(&*store, &world, &mut dice).await,
        }
    }
}

async fn command(store: &dyn Store, world: &World, dice: &mut Dice) {
    let Some((workspace, run)) = world.recent(dice) else { return };
    let command =
        [Command::Cancel, Command::Pause, Command::Resume, Command::Resume, Command::Enqueue, Command::Dismiss]
            [dice.below(6) as usize];
    let _ = store.command(&workspace, &[run], command, world.admission()).await;
}

async fn rerun(store: &dyn Store, world: &World, dice: &mut Dice) {
    let Some((workspace, run)) = world.recent(dice) else { return };
    let _ = store.rerun(&workspace, run, RunId::new(), world.admission()).await;
}

/// A paused queue goes on after a moment, so that the workload does.
async fn set_queue(store: &dyn Store, dice: &mut Dice) {
    let workspace = &workspaces()[dice.below(2) as usize];
    let queue = &queues()[dice.below(3) as usize];
    if queue.as_str() == "narrow" {
        let limit = 1 + dice.below(3) as u32;
        let change = QueueChange { concurrency: Some(Some(limit)), ..QueueChange::default() };
        let _ = store.set_queue(workspace, queue, change).await;
        return;
    }
    let paused = |paused| QueueChange { paused: Some(paused), ..QueueChange::default() };
    let _ = store.set_queue(workspace, queue, paused(true)).await;
    pause(dice, 60).await;
    let _ = store.set_queue(workspace, queue, paused(false)).await;
}

async fn set_lane(store: &dyn Store, dice: &mut Dice) {
    let workspace = &workspaces()[dice.below(2) as usize];
    let lane = LaneName::parse(["a", "b", "c"][dice.below(3) as usize]).expect("a good name");
    let _ = store.set_lane_policy(workspace, &lane, LanePolicy::Hold).await;
    pause(dice, 60).await;
    let _ = match dice.one_in(2) {
        true => store.set_lane_policy(workspace, &lane, LanePolicy::Continue).await.map(|_| true),
        false => store.release_lane(workspace, &lane).await.map(|held_by| held_by > 0),
    };
}

/// Every pass, again and again, until the workload is over.
pub(super) async fn maintain(store: Arc<dyn Store>, world: Arc<World>) {
    while !world.is_over() {
        all_passes(&*store).await;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

pub(super) async fn all_passes(store: &dyn Store) {
    let _ = store.promote(100).await;
    let _ = store.reap(100).await;
    let _ = store.expire(SignedDuration::ZERO, Jitter(0), 100).await;
}
