//! The cycle that is measured: submit, claim, finish.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use jiff::SignedDuration;
use runlane::run::lifecycle::{Outcome, Taker};
use runlane::run::{HostName, Jitter, Json, NewRun, TaskName, WorkerId};
use runlane::store::{Admission, ClaimRequest, Finish, FinishOutcome, Store, SubmitOutcome};

pub async fn submit(store: Arc<dyn Store>, runs: usize, batch: usize, tasks: usize) -> f64 {
    let started = Instant::now();
    let next = Arc::new(AtomicUsize::new(0));
    let mut set = tokio::task::JoinSet::new();
    for _ in 0..tasks {
        let (store, next) = (store.clone(), next.clone());
        set.spawn(async move {
            loop {
                let from = next.fetch_add(batch, Ordering::SeqCst);
                if from >= runs {
                    return;
                }
                let new: Vec<NewRun> = (from..(from + batch).min(runs)).map(a_run).collect();
                let out = store.submit(&new, Admission::default()).await.expect("submit");
                assert!(out.iter().all(|o| *o == SubmitOutcome::Created));
            }
        });
    }
    while set.join_next().await.is_some() {}
    runs as f64 / started.elapsed().as_secs_f64()
}

fn a_run(number: usize) -> NewRun {
    let payload = format!(r#"{{"i":{number},"text":"lorem ipsum dolor sit amet consectetu"}}"#);
    NewRun::of(TaskName::parse("noop").expect("name"), Json::parse(payload).expect("json"))
}

pub async fn drain(store: Arc<dyn Store>, runs: usize, batch: usize, tasks: usize) -> f64 {
    let started = Instant::now();
    let done = Arc::new(AtomicUsize::new(0));
    let mut set = tokio::task::JoinSet::new();
    for _ in 0..tasks {
        let (store, done) = (store.clone(), done.clone());
        set.spawn(async move {
            let mut request = ClaimRequest {
                taker: Taker { worker: WorkerId::new(), host: HostName::parse("bench").expect("name") },
                queues: vec![],
                capacity: batch,
                lease_ttl: SignedDuration::from_secs(30),
                takeover_delay: SignedDuration::from_secs(60),
                last_turn: None,
            };
            while done.load(Ordering::SeqCst) < runs {
                let claim = store.claim(&request).await.expect("claim");
                request.last_turn = claim.last_turn;
                let finishes: Vec<Finish> = claim
                    .runs
                    .iter()
                    .map(|c| Finish {
                        lease: c.lease(),
                        outcome: Outcome::Succeeded { output: None },
                        jitter: Jitter(0),
                    })
                    .collect();
                if finishes.is_empty() {
                    continue;
                }
                let out = store.finish(&finishes).await.expect("finish");
                assert!(out.iter().all(|o| matches!(o, FinishOutcome::Accepted(_))));
                done.fetch_add(out.len(), Ordering::SeqCst);
            }
        });
    }
    while set.join_next().await.is_some() {}
    runs as f64 / started.elapsed().as_secs_f64()
}
