//! The worker's heartbeat: says that it is there and how busy, and hears whether it is to leave.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::claimer::signed;
use super::{Inner, Served, telemetry};
use crate::store::{Duty, QueueLimit, WorkerInfo, WorkerState};

/// A worker with nothing to do beats so much less often than one that executes runs.
const IDLE_FACTOR: u32 = 5;

/// But no less often than this, unless its heartbeat is longer.
const LONGEST_IDLE: Duration = Duration::from_secs(10);

/// How often a busy worker asks how many slots all workers have together.
const FLEET_EVERY: Duration = Duration::from_secs(10);

/// Says that the worker is there and how busy it is, and hears whether it is to leave: at every heartbeat while runs are
/// under way, and where something changed or the store rang; otherwise seldom, so that an idle worker asks the database for
/// little. Once it is `over`, says that the worker has left.
pub(super) async fn beat(inner: Arc<Inner>, drain: CancellationToken, over: CancellationToken) {
    let mut rung = inner.store.ready_signal();
    let mut last: Option<(WorkerInfo, Instant)> = None;
    let mut announced = false;
    let mut counted: Option<Instant> = None;
    let mut tick = tokio::time::interval(inner.settings.heartbeat);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = over.cancelled() => break,
            () = drain.cancelled(), if !announced => announced = true,
            _ = tick.tick() => {}
        }
        if inner.slots.busy() > 0 && counted.is_none_or(|at| at.elapsed() >= FLEET_EVERY) {
            counted = Some(Instant::now());
            count_fleet(&inner).await;
        }
        let info = info(&inner, drain.is_cancelled());
        telemetry::slots(info.slots, info.busy);
        let rung = rung.take();
        let same = last.as_ref().is_some_and(|(said, at)| *said == info && at.elapsed() < idle(&inner));
        if same && info.busy == 0 && !rung {
            continue;
        }
        let now = Instant::now();
        last = match inner.store.heartbeat(&info).await {
            Ok(duty) => {
                if duty == Duty::Drain && !drain.is_cancelled() {
                    tracing::info!(worker = %inner.id, "asked to drain");
                    drain.cancel();
                }
                Some((info, now))
            }
            Err(error) => {
                tracing::warn!(error = error.in_full(), "cannot send the heartbeat of the worker");
                None
            }
        };
    }
    if let Err(error) = inner.store.leave(inner.id).await {
        tracing::warn!(error = error.in_full(), "cannot say that the worker has left; it will be listed as silent");
    }
}

/// Runs are leased ahead only beyond what the slots of all workers could begin at once.
async fn count_fleet(inner: &Inner) {
    if let Ok(workers) = inner.store.workers().await {
        let there = workers.iter().filter(|worker| worker.state() == WorkerState::Working);
        inner.ahead.set_fleet(there.map(|worker| worker.info.slots as usize).sum());
    }
}

/// How long a worker with nothing to do is quiet.
fn idle(inner: &Inner) -> Duration {
    let heartbeat = inner.settings.heartbeat;
    heartbeat.max((heartbeat * IDLE_FACTOR).min(LONGEST_IDLE))
}

fn info(inner: &Inner, leaving: bool) -> WorkerInfo {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let served = &inner.settings.queues;
    let limit = |served: &Served| {
        let concurrency = count(served.concurrency?);
        let busy = count(inner.slots.busy_in(&served.queue));
        Some(QueueLimit { queue: served.queue.clone(), concurrency, busy })
    };
    let busy = inner.slots.busy();
    let beat = if busy > 0 { inner.settings.heartbeat } else { idle(inner) };
    WorkerInfo {
        queues: served.iter().map(|served| served.queue.clone()).collect(),
        limits: served.iter().filter_map(limit).collect(),
        tasks: Some(inner.tasks.names()),
        busy: count(busy),
        beat: signed(beat),
        leaving,
        ..WorkerInfo::new(inner.id, inner.settings.host.clone(), count(inner.settings.concurrency))
    }
}
