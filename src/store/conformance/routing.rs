//! Which runs a worker gets: those of its tasks, in its queues.

use std::collections::BTreeSet;

use super::prelude::*;
use crate::store::{ClaimRequest, ClaimScope};

/// What a worker that lacks the task of all these runs asks for.
fn without_the_task(worker: &AWorker) -> ClaimRequest {
    ClaimRequest { tasks: Some([task("other")].into()), ..worker.asks_for(10) }
}

/// What a worker that has it asks for.
fn with_the_task(worker: &AWorker, run: &Run) -> ClaimRequest {
    ClaimRequest { tasks: Some([run.task.clone()].into()), ..worker.asks_for(10) }
}

pub(super) async fn a_run_waits_for_a_worker_that_has_its_task(bench: Bench) {
    let id = bench.submit(a_run().max_attempts(1)).await;
    assert_eq!(bench.claim_as(&without_the_task(&a_worker())).await.runs, []);
    let run = bench.run(id).await;
    assert_eq!((run.status(), run.attempt, run.epoch), (Status::Queued, 0, 0));
    let claimed = bench.claim_as(&with_the_task(&a_worker(), &run)).await.runs;
    assert_eq!(claimed.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [id]);
}

pub(super) async fn others_go_while_the_task_of_one_is_lacking(bench: Bench) {
    bench.submit(a_run().priority(5)).await;
    let other = bench.submit(a_run().task("other")).await;
    bench.submit(a_run()).await;
    let claimed = bench.claim_as(&without_the_task(&a_worker())).await.runs;
    assert_eq!(claimed.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [other]);
}

pub(super) async fn a_run_whose_task_is_lacking_keeps_its_lane(bench: Bench) {
    let first = bench.submit(a_run().lane("l")).await;
    let second = bench.submit(a_run().lane("l").task("other")).await;
    assert_eq!(bench.claim_as(&without_the_task(&a_worker())).await.runs, []);
    for expected in [first, second] {
        let claimed = bench.claim_one(&a_worker()).await;
        assert_eq!(claimed.run.id, expected);
        bench.succeed(&claimed).await;
    }
}

pub(super) async fn the_next_of_a_lane_is_not_handed_to_a_worker_that_lacks_its_task(bench: Bench) {
    let first = bench.started(a_run().lane("l").task("other")).await;
    let second = bench.submit(a_run().lane("l")).await;
    let finish = Finish::of(first.lease(), done());
    let next = ClaimRequest { scope: ClaimScope::FreedLanes, ..without_the_task(&a_worker()) };
    let answer = bench.store.finish_and_claim(&[finish], &next).await;
    assert_eq!(answer.expect("finish_and_claim answers").1.runs, []);
    assert_eq!(bench.claim_one(&a_worker()).await.run.id, second);
}

/// In the order of priority, then of submission, whatever their tasks and queues are called.
pub(super) async fn tasks_and_queues_are_served_in_one_order(bench: Bench) {
    let mut ids = Vec::new();
    for (task, queue, priority) in
        [("b", "x", 0), ("a", "y", 0), ("c", "x", 1), ("a", "x", 0), ("b", "y", 1), ("other", "z", 9), ("c", "y", -1)]
    {
        ids.push(bench.submit(a_run().task(task).queue(queue).priority(priority)).await);
    }
    let tasks = ["a", "b", "c"].map(task);
    let request = ClaimRequest { tasks: Some(tasks.into()), ..a_worker().asks_for(5) };
    let claimed: Vec<RunId> = bench.claim_as(&request).await.runs.iter().map(|claimed| claimed.run.id).collect();
    assert_eq!(claimed, [ids[2], ids[4], ids[0], ids[1], ids[3]]);
}

/// With more names than are looked at together, each gets its turn, and other workspaces get theirs.
pub(super) async fn a_workspace_with_very_many_queues_is_served_whole_and_leaves_the_others_their_turns(bench: Bench) {
    let runs: Vec<ARun> = (0..250).map(|number| a_run().queue(&format!("q{number}"))).collect();
    let mut ids: BTreeSet<RunId> = runs.iter().map(|run| run.0.id).collect();
    bench.submit_all(runs).await;
    let other = bench.submit(a_run().of(bench.workspace("other").await.as_str())).await;
    let first = bench.claim_as(&a_worker().asks_for(10)).await.runs;
    assert!(first.iter().any(|claimed| claimed.run.id == other), "the other workspace has its turn at once");
    let mut claimed: BTreeSet<RunId> = first.iter().map(|claimed| claimed.run.id).collect();
    for _ in 0..50 {
        claimed.extend(bench.claim_as(&a_worker().asks_for(10)).await.runs.iter().map(|claimed| claimed.run.id));
    }
    ids.insert(other);
    assert_eq!(claimed, ids);
}

pub(super) async fn work_is_adopted_by_workers_that_have_its_task(bench: Bench) {
    let orphan = bench.running().await;
    bench.lose_workers().await;
    assert_eq!(bench.claim_as(&without_the_task(&a_worker())).await.runs, []);
    let adopted = bench.claim_as(&with_the_task(&a_worker(), &orphan.run)).await.runs;
    assert_eq!(adopted.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [orphan.run.id]);
}

pub(super) async fn work_that_nobody_adopts_for_long_may_be_declared_lost_by_anybody(bench: Bench) {
    let orphan = bench.running().await;
    bench.lose_workers().await;
    // Ten takeover delays, from the end of the lease, which is now.
    bench.wait(599);
    for worker in [a_worker(), a_worker().on("elsewhere")] {
        assert_eq!(bench.claim_as(&without_the_task(&worker)).await.runs, []);
    }
    bench.wait(1);
    let adopted = bench.claim_as(&without_the_task(&a_worker())).await.runs;
    assert_eq!(adopted.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [orphan.run.id]);
}

pub(super) async fn whoever_adopts_learns_since_when_nobody_held_the_run(bench: Bench) {
    let claimed = bench.running().await;
    let Some(Tenure::Leased { until }) = claimed.run.execution().map(|execution| execution.tenure) else {
        panic!("not leased: {claimed:?}");
    };
    assert_eq!(claimed.orphaned_at, None);
    bench.lose_workers().await;
    bench.wait(7);
    assert_eq!(bench.claim_one(&a_worker()).await.orphaned_at, Some(until));
}

pub(super) async fn work_that_is_missing_is_not_tried_again_before_it_must_have_stopped(bench: Bench) {
    bench.running().await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    let stopped_by = bench.now() + seconds(60);
    let answer = bench.finish(adopted.lease(), Outcome::Missing { stopped_by }).await;
    assert_eq!(answer, FinishOutcome::Accepted(Status::Retrying));
    assert_eq!(bench.error_code(adopted.run.id).await.as_deref(), Some("lost"));
    bench.wait(59);
    assert_eq!(bench.promote().await, 0);
    bench.wait(1);
    assert_eq!(bench.promote().await, 1);
    let again = bench.claim_one(&a_worker()).await;
    assert_eq!((again.adopted, again.run.attempt), (false, 2));
}

pub(super) async fn work_that_is_missing_fails_at_its_last_attempt(bench: Bench) {
    bench.started(a_run().max_attempts(1)).await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    let outcome = Outcome::Missing { stopped_by: bench.now() + seconds(60) };
    assert_eq!(bench.finish(adopted.lease(), outcome).await, FinishOutcome::Accepted(Status::Failed));
}
