//! The cycle that is measured, through the store: submit, claim, finish.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use runlane::run::lifecycle::{Outcome, Taker};
use runlane::run::{HostName, Json, NewRun, TaskName, WorkerId};
use runlane::store::{Admission, ClaimRequest, Finish, FinishOutcome, Store, SubmitOutcome};
use tokio::task::JoinSet;

use crate::database::Result;

/// How the process divides the work.
#[derive(Clone, Copy)]
pub struct Effort {
    pub runs: usize,
    pub batch: usize,
    pub tasks: usize,
}

/// About 55 bytes, as the harness of the peers has it.
pub fn payload(number: usize) -> String {
    format!(r#"{{"i":{number},"text":"lorem ipsum dolor sit amet consectetu"}}"#)
}

/// Runs submitted per second.
pub async fn submit(store: &Arc<dyn Store>, effort: Effort) -> Result<f64> {
    let started = Instant::now();
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..effort.tasks {
        tasks.spawn(submit_batches(Arc::clone(store), Arc::clone(&next), effort));
    }
    while let Some(task) = tasks.join_next().await {
        task??;
    }
    Ok(effort.runs as f64 / started.elapsed().as_secs_f64())
}

async fn submit_batches(store: Arc<dyn Store>, next: Arc<AtomicUsize>, effort: Effort) -> Result<()> {
    let task = TaskName::parse("noop")?;
    loop {
        let first = next.fetch_add(effort.batch, Ordering::SeqCst);
        if first >= effort.runs {
            return Ok(());
        }
        let numbers = first..(first + effort.batch).min(effort.runs);
        let runs: Vec<NewRun> = numbers
            .map(|number| Json::parse(payload(number)).map(|payload| NewRun::of(task.clone(), payload)))
            .collect::<std::result::Result<_, _>>()?;
        let outcomes = store.submit(&runs, Admission::default()).await?;
        assert!(outcomes.iter().all(|outcome| *outcome == SubmitOutcome::Created), "every run is created");
    }
}

/// Runs claimed and finished per second until nothing is left.
pub async fn drain(store: &Arc<dyn Store>, effort: Effort) -> Result<f64> {
    let started = Instant::now();
    let done = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..effort.tasks {
        tasks.spawn(claim_and_finish(Arc::clone(store), Arc::clone(&done), effort));
    }
    while let Some(task) = tasks.join_next().await {
        task??;
    }
    Ok(done.load(Ordering::SeqCst) as f64 / started.elapsed().as_secs_f64())
}

async fn claim_and_finish(store: Arc<dyn Store>, done: Arc<AtomicUsize>, effort: Effort) -> Result<()> {
    let mut request =
        ClaimRequest::of(Taker { worker: WorkerId::new(), host: HostName::parse("bench")? }, effort.batch);
    while done.load(Ordering::SeqCst) < effort.runs {
        let claim = store.claim(&request).await?;
        request.last_turn = claim.last_turn;
        let finishes: Vec<Finish> =
            claim.runs.iter().map(|claimed| Finish::of(claimed.lease(), Outcome::Succeeded { output: None })).collect();
        if finishes.is_empty() {
            // The rest is in another task's hands.
            tokio::task::yield_now().await;
            continue;
        }
        let outcomes = store.finish(&finishes).await?;
        assert!(outcomes.iter().all(|outcome| matches!(outcome, FinishOutcome::Accepted(_))), "every lease holds");
        done.fetch_add(outcomes.len(), Ordering::SeqCst);
    }
    Ok(())
}
