//! Runs that a worker leases ahead of their start, where handlers are short and the backlog is long.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use runlane::executor::native::{Context, TaskError};
use runlane::run::{BlockedBy, Run, RunId, Status, WorkspaceName};
use runlane::store::{Admission, Page, RunFilter};
use runlane::worker::{Builder, Settings};
use tokio::sync::Semaphore;

use super::{PATIENCE, Rig, Working, quick, request};

const BACKLOG: usize = 3000;
const SLOTS: usize = 4;

/// Work that takes a millisecond, until the gate is shut: then it waits.
#[derive(Clone, Default)]
struct Steps {
    begun: Arc<Mutex<HashMap<RunId, Timestamp>>>,
    at_once: Arc<AtomicUsize>,
    most_at_once: Arc<AtomicUsize>,
    shut: Arc<AtomicBool>,
    gate: Arc<Gate>,
}

struct Gate(Semaphore);

impl Default for Gate {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl Steps {
    async fn step(self, ctx: Context) -> Result<(), TaskError> {
        self.begun.lock().expect("nobody panicked").insert(ctx.run_id(), Timestamp::now());
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(1)).await;
        if self.shut.load(Ordering::SeqCst) {
            let _ = self.gate.0.acquire().await;
        }
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }

    fn begun(&self) -> HashMap<RunId, Timestamp> {
        self.begun.lock().expect("nobody panicked").clone()
    }

    fn open(&self) {
        self.shut.store(false, Ordering::SeqCst);
        self.gate.0.add_permits(BACKLOG);
    }

    /// Waits until every slot is at the gate.
    async fn stuck(&self) {
        self.shut.store(true, Ordering::SeqCst);
        let begun = || self.begun().len();
        let (mut before, mut since) = (begun(), tokio::time::Instant::now());
        tokio::time::timeout(PATIENCE, async {
            while since.elapsed() < Duration::from_millis(300) {
                tokio::time::sleep(Duration::from_millis(10)).await;
                if begun() != before {
                    (before, since) = (begun(), tokio::time::Instant::now());
                }
            }
        })
        .await
        .expect("the slots fill up");
    }
}

fn worker(rig: &Rig, steps: &Steps) -> Builder {
    let steps = steps.clone();
    rig.worker()
        .settings(Settings { concurrency: SLOTS, ..quick() })
        .task("step", move |ctx: Context, (): ()| steps.clone().step(ctx))
}

async fn backlog(rig: &Rig) -> Vec<RunId> {
    let runs: Vec<_> = (0..BACKLOG).map(|_| request("step", "null")).collect();
    rig.store.submit(&runs, Admission::default()).await.expect("a submission");
    runs.iter().map(|run| run.id).collect()
}

async fn with_status(rig: &Rig, status: Status) -> Vec<Run> {
    let filter = RunFilter { statuses: vec![status], ..RunFilter::default() };
    let listed = rig.store.runs(&WorkspaceName::default(), &filter, &Page::first(BACKLOG)).await;
    listed.expect("a read").data
}

fn leased_ahead(queued: &[Run]) -> Vec<&Run> {
    queued.iter().filter(|run| run.blocked_by() == Some(BlockedBy::Worker)).collect()
}

async fn until_none_is_leased_ahead(rig: &Rig) {
    tokio::time::timeout(PATIENCE, async {
        while !leased_ahead(&with_status(rig, Status::Queued).await).is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .expect("what is leased ahead goes back");
}

/// Nothing happened to those that had not begun.
async fn assert_untouched(rig: &Rig, ids: &[RunId], begun: &HashMap<RunId, Timestamp>) {
    let mut waiting = 0;
    for id in ids.iter().filter(|id| !begun.contains_key(id)) {
        let run = rig.run(*id).await;
        assert_eq!((run.status(), run.attempt, run.started_at, run.error), (Status::Queued, 0, None, None));
        waiting += 1;
    }
    assert!(waiting > 0, "there was no backlog left to lease ahead of");
    let attempts = rig.store.attempts(&WorkspaceName::default(), ids[BACKLOG - 1]).await;
    assert_eq!(attempts.expect("a read").expect("a run"), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn never_more_runs_than_slots_are_executed_or_shown_running_and_their_times_are_true() {
    let (rig, steps) = (Rig::new().await, Steps::default());
    let ids = backlog(&rig).await;
    let working = Working::start(worker(&rig, &steps));
    let mut most_ahead = 0;
    while rig.run(ids[BACKLOG - 1]).await.status() != Status::Succeeded {
        let running = with_status(&rig, Status::Running).await.len();
        assert!(running <= SLOTS, "{running} are shown running");
        most_ahead = most_ahead.max(leased_ahead(&with_status(&rig, Status::Queued).await).len());
    }
    working.stop().await;
    assert!(most_ahead > 0, "none was seen leased ahead");
    assert!(steps.most_at_once.load(Ordering::SeqCst) <= SLOTS);
    let begun = steps.begun();
    let mut early = Vec::new();
    for id in ids {
        let run = rig.run(id).await;
        assert_eq!((run.status(), run.attempt), (Status::Succeeded, 1));
        let (started, ended) = (run.started_at.expect("it started"), run.finished_at().expect("it ended"));
        early.push(begun[&id].duration_since(started));
        assert!(started <= ended);
    }
    // The handler notes the time a moment after it began, on a busy machine a long moment. When it was leased is far earlier.
    early.sort();
    let median = early[BACKLOG / 2];
    assert!(
        median < SignedDuration::from_millis(5),
        "half of them are shown to have started {median:?} before they began"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_slot_in_vain_goes_back_to_others() {
    let (rig, steps) = (Rig::new().await, Steps::default());
    let ids = backlog(&rig).await;
    let stuck = Working::start(worker(&rig, &steps));
    while steps.begun().len() < 200 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    steps.stuck().await;
    until_none_is_leased_ahead(&rig).await;
    let begun = steps.begun();
    assert_untouched(&rig, &ids, &begun).await;
    // What takes long is shown running by now.
    assert_eq!(with_status(&rig, Status::Running).await.len(), SLOTS);
    let others = Steps::default();
    let working = Working::start(worker(&rig, &others));
    rig.until(ids[BACKLOG - 1], Status::Succeeded).await;
    steps.open();
    stuck.stop().await;
    working.stop().await;
    assert_eq!(begun.len() + others.begun().len(), BACKLOG, "each was executed once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_leaves_gives_back_at_once_what_has_not_begun() {
    let (rig, steps) = (Rig::new().await, Steps::default());
    let ids = backlog(&rig).await;
    let working = Working::start(worker(&rig, &steps));
    while steps.begun().len() < 200 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let summary = working.stop().await;
    assert_eq!(summary.lost, 0, "{summary}");
    let begun = steps.begun();
    assert_eq!(leased_ahead(&with_status(&rig, Status::Queued).await), [] as [&Run; 0]);
    assert_untouched(&rig, &ids, &begun).await;
    for id in begun.keys() {
        assert_eq!(rig.run(*id).await.status(), Status::Succeeded);
    }
}

/// A run that may start only once, or in its turn in a lane, is not leased ahead, and is not left behind either.
#[tokio::test(flavor = "multi_thread")]
async fn what_must_not_be_leased_ahead_has_its_turn_in_a_backlog() {
    let (rig, steps) = (Rig::new().await, Steps::default());
    let mut runs: Vec<_> = (0..BACKLOG).map(|_| request("step", "null")).collect();
    for number in (0..BACKLOG).step_by(100) {
        runs[number].max_attempts = std::num::NonZeroU16::MIN;
    }
    rig.store.submit(&runs, Admission::default()).await.expect("a submission");
    let working = Working::start(worker(&rig, &steps));
    for run in &runs {
        rig.until(run.id, Status::Succeeded).await;
    }
    working.stop().await;
    let begun = steps.begun();
    let first = begun[&runs[1000].id];
    let later = runs[1400..].iter().filter(|run| begun[&run.id] < first).count();
    assert_eq!(later, 0, "those that came long after it went before it");
}
