//! The table of passes.

use std::collections::HashMap;
use std::sync::PoisonError;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::{sync::Arc, time::Instant};

use jiff::Timestamp;
use metrics::{Unit, counter, describe_counter, describe_gauge, gauge};

use super::{Maintenance, Next, Pass};
#[cfg(target_os = "linux")]
use crate::executor::process::{Emptied, Leftover};
use crate::run::{Jitter, QueueName, Status, TaskName, WorkspaceName};
use crate::store::{Pruned, Result, Store, WaitingTask, WorkerState};

/// At most so many runs in one transaction.
const BATCH: usize = 1000;

/// How long leftovers are removed at a time, and when it goes on: the other passes have their turn in between.
#[cfg(target_os = "linux")]
const LEFTOVERS: (Duration, Duration) = (seconds(1), seconds(2));

/// So many of the oldest waiting runs are looked at for tasks that no worker has.
const LOOKED_AT: usize = 10_000;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The place in the table of the pass that frees runs whose time has come.
pub(super) const PROMOTE: usize = 0;

pub(super) const PASSES: [Pass; 7] = [
    Pass { name: "promote", every: seconds(3), run: |it| Box::pin(promote(it)) },
    Pass { name: "reap", every: seconds(5), run: |it| Box::pin(reap(it)) },
    Pass { name: "expire", every: seconds(60), run: |it| Box::pin(expire(it)) },
    Pass { name: "measure", every: seconds(30), run: |it| Box::pin(measure(it)) },
    Pass { name: "leftovers", every: seconds(60), run: |it| Box::pin(leftovers(it)) },
    Pass { name: "sweep", every: seconds(300), run: |it| Box::pin(sweep(it)) },
    Pass { name: "prune", every: seconds(300), run: |it| Box::pin(prune(it)) },
];

/// Runs whose time has come become ready, and those whose start deadline has passed end.
async fn promote(it: &Maintenance) -> Result<Next> {
    let promoted = it.store.promote(BATCH).await?;
    if promoted.too_late > 0 {
        tracing::warn!(runs = promoted.too_late, "cancelled runs that had not begun by their start deadline");
        counter!("runlane_start_deadlines_passed_total").increment(promoted.too_late as u64);
    }
    Ok(match promoted.next_due {
        _ if promoted.runs == BATCH => Next::Now,
        Some(due) => Next::Within(Duration::try_from(due).unwrap_or_default()),
        None => Next::Usual,
    })
}

/// Schedules whose waiting run is gone get another: nothing but a hand in the database can have taken it.
async fn sweep(it: &Maintenance) -> Result<Next> {
    let repaired = it.store.sweep_schedules(BATCH).await?;
    if !repaired.is_empty() {
        tracing::warn!(schedules = repaired.len(), first = %repaired[0], "repaired schedules that had no next run");
        counter!("runlane_schedules_repaired_total").increment(repaired.len() as u64);
    }
    Ok(again_if(repaired.len() == BATCH))
}

/// Runs whose worker stopped renewing are up for adoption.
async fn reap(it: &Maintenance) -> Result<Next> {
    let reaped = it.store.reap(BATCH).await?;
    if !reaped.is_empty() {
        tracing::warn!(runs = reaped.len(), first = %reaped[0], "leases expired; their runs can be adopted");
        counter!("runlane_leases_expired_total").increment(reaped.len() as u64);
    }
    Ok(again_if(reaped.len() == BATCH))
}

/// Attempts far past their time limit end, whoever holds them.
async fn expire(it: &Maintenance) -> Result<Next> {
    let grace = jiff::SignedDuration::try_from(it.settings().expire_grace).unwrap_or(jiff::SignedDuration::MAX);
    let expired = it.store.expire(grace, Jitter(fastrand::u32(..)), BATCH).await?;
    if !expired.is_empty() {
        tracing::warn!(runs = expired.len(), first = %expired[0], "ended attempts that were far past their time limit");
        counter!("runlane_attempts_expired_total").increment(expired.len() as u64);
    }
    Ok(again_if(expired.len() == BATCH))
}

/// How many runs stand where.
async fn measure(it: &Maintenance) -> Result<Next> {
    let counts = it.store.counts().await?;
    let anything_waits = counts.iter().any(|count| matches!(count.status, Status::Queued | Status::Retrying));
    let forsaken = if anything_waits { without_worker(it.store.as_ref()).await? } else { vec![] };
    show_forsaken(it, forsaken);
    let mut shown = it.shown.lock().unwrap_or_else(PoisonError::into_inner);
    for gone in shown.drain() {
        show(&gone, 0, None);
    }
    for count in counts {
        let place = (count.workspace, count.queue, count.status);
        show(&place, count.runs, count.oldest_ready);
        shown.insert(place);
    }
    Ok(Next::Usual)
}

/// The tasks that runs wait for and that no worker of their queue has; of the oldest waiting runs.
async fn without_worker(store: &dyn Store) -> Result<Vec<WaitingTask>> {
    let mut waiting = store.waiting_tasks(LOOKED_AT).await?;
    let mut workers = store.workers().await?;
    workers.retain(|worker| worker.state() == WorkerState::Working);
    waiting.retain(|wanted| {
        !workers.iter().any(|worker| worker.info.serves(&wanted.queue) && worker.info.has_task(&wanted.task))
    });
    Ok(waiting)
}

/// A task that runs of a queue wait for.
pub(super) type Forsaken = (WorkspaceName, QueueName, TaskName);

fn show_forsaken(it: &Maintenance, found: Vec<WaitingTask>) {
    let show = |(workspace, queue, task): &Forsaken, runs: u64| {
        let labels = [("workspace", workspace.to_string()), ("queue", queue.to_string()), ("task", task.to_string())];
        gauge!("runlane_runs_without_worker", &labels).set(runs as f64);
    };
    let mut known = it.forsaken.lock().unwrap_or_else(PoisonError::into_inner);
    let found: HashMap<Forsaken, u64> =
        found.into_iter().map(|task| ((task.workspace, task.queue, task.task), task.runs)).collect();
    known.keys().filter(|task| !found.contains_key(task)).for_each(|gone| show(gone, 0));
    found.iter().for_each(|(task, runs)| show(task, *runs));
    for (workspace, queue, task) in forsaken_for_a_while(&mut known, found.into_keys()) {
        tracing::warn!(%workspace, %queue, %task, "runs wait for a task that no worker of their queue has");
    }
}

/// Those that were found the last time, too, and have not been answered before: a worker that is just starting has not said yet
/// what it has.
fn forsaken_for_a_while(known: &mut HashMap<Forsaken, Warned>, found: impl Iterator<Item = Forsaken>) -> Vec<Forsaken> {
    let before = std::mem::take(known);
    let mut due = Vec::new();
    for task in found {
        let warned = match before.get(&task) {
            None => Warned(false),
            Some(Warned(warned)) => {
                if !warned {
                    due.push(task.clone());
                }
                Warned(true)
            }
        };
        known.insert(task, warned);
    }
    due
}

/// Whether the log says already that nobody has a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Warned(bool);

/// A place where runs stand.
pub(super) type Shown = (WorkspaceName, QueueName, Status);

fn show((workspace, queue, status): &Shown, runs: u64, oldest_ready: Option<Timestamp>) {
    let labels = [("workspace", workspace.to_string()), ("queue", queue.to_string()), ("status", status.to_string())];
    gauge!("runlane_runs", &labels).set(runs as f64);
    if matches!(status, Status::Queued | Status::Retrying) {
        let since = oldest_ready.map_or(0.0, |since| since.as_second() as f64);
        gauge!("runlane_oldest_ready_timestamp_seconds", &labels).set(since);
    }
}

/// Tells the recorder in use what the metrics mean.
pub fn describe() {
    describe_counter!("runlane_leases_expired_total", "Expired leases that this process cleared");
    describe_counter!(
        "runlane_start_deadlines_passed_total",
        "Runs that had not begun by their start deadline and that this process cancelled"
    );
    describe_counter!("runlane_schedules_repaired_total", "Schedules without a next run that this process repaired");
    describe_counter!("runlane_attempts_expired_total", "Attempts far past their timeout that this process ended");
    describe_gauge!("runlane_runs", "Live runs by workspace, queue and status");
    describe_gauge!(
        "runlane_runs_without_worker",
        "Waiting runs whose task no working worker of their queue has, of the 10,000 oldest"
    );
    describe_gauge!(
        "runlane_oldest_ready_timestamp_seconds",
        Unit::Seconds,
        "When the longest-waiting run became ready; 0 if none is waiting"
    );
}

/// What processes of finished runs left behind on this machine goes.
async fn leftovers(it: &Maintenance) -> Result<Next> {
    #[cfg(target_os = "linux")]
    if let Some(processes) = &it.processes {
        let looking = Arc::clone(processes);
        let looked = tokio::task::spawn_blocking(move || looking.leftovers()).await;
        let found = looked.map_err(std::io::Error::other).flatten().unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot look for files of ended attempts");
            vec![]
        });
        let (begun, (longest, pause)) = (Instant::now(), LEFTOVERS);
        // What still runs is looked after by its shim, perhaps for a worker that this one knows nothing of.
        let old = |leftover: &&Leftover| !leftover.is_running && leftover.age > it.settings().leftovers;
        for leftover in found.iter().filter(old) {
            let run = match &leftover.workspace {
                Some(workspace) => it.store.run(workspace, leftover.run).await?,
                None => None,
            };
            let wanted = run.is_some_and(|run| run.attempt == leftover.attempt && run.execution().is_some());
            if wanted {
                continue;
            }
            match processes.remove(leftover).await {
                Ok(Emptied::All) => {}
                Ok(Emptied::Partly) => return Ok(Next::Within(pause)),
                Err(error) => {
                    tracing::warn!(run = %leftover.run, %error, "cannot remove the files of an ended attempt")
                }
            }
            if begun.elapsed() > longest {
                return Ok(Next::Within(pause));
            }
        }
    }
    Ok(Next::Usual)
}

/// What retention no longer asks to keep is forgotten.
async fn prune(it: &Maintenance) -> Result<Next> {
    let pruned = it.store.prune(&it.settings().retention, BATCH).await?;
    if pruned != Pruned::default() {
        let Pruned { runs, idempotency_keys, workers, audit, skips, usage } = pruned;
        tracing::info!(runs, keys = idempotency_keys, workers, audit, skips, usage, "pruned");
    }
    let Pruned { runs, idempotency_keys, audit, skips, usage, .. } = pruned;
    Ok(again_if([runs, idempotency_keys, audit, skips, usage].contains(&BATCH)))
}

fn again_if(full: bool) -> Next {
    if full { Next::Now } else { Next::Usual }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_nobody_has_is_warned_about_once_and_not_at_first_sight() {
        let task = |name: &str| {
            let name = TaskName::parse(name).expect("a name");
            (WorkspaceName::default(), QueueName::default(), name)
        };
        let mut known = HashMap::new();
        let mut look = |names: &[&str]| forsaken_for_a_while(&mut known, names.iter().map(|name| task(name)));
        assert_eq!(look(&["resize"]), []);
        assert_eq!(look(&["resize", "mail"]), [task("resize")]);
        assert_eq!(look(&["resize", "mail"]), [task("mail")]);
        assert_eq!(look(&[]), []);
        assert_eq!(look(&["resize"]), [], "somebody had it in between");
        assert_eq!(look(&["resize"]), [task("resize")]);
    }
}
