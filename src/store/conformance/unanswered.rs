//! Claims whose answer never came: the worker asks again, with the leases that it knows.

use super::prelude::*;
use crate::store::ClaimRequest;

fn knowing(worker: &AWorker, known: &[&Claimed]) -> ClaimRequest {
    let known = known.iter().map(|claimed| claimed.lease()).collect();
    ClaimRequest { known_leases: Some(known), ..worker.asks_for(10) }
}

pub(super) async fn what_a_claim_without_an_answer_got_is_found_by_the_next(bench: Bench) {
    let worker = a_worker();
    let id = bench.submit(a_run().max_attempts(1)).await;
    let unanswered = bench.claim_one(&worker).await;
    let found = bench.claim_as(&knowing(&worker, &[])).await.runs;
    let [again] = &found[..] else { panic!("one run: {found:?}") };
    assert_eq!((again.run.id, again.adopted, again.run.attempt), (id, false, 1), "no attempt is burned");
    assert_eq!(bench.finish(unanswered.lease(), done()).await, FinishOutcome::LeaseLost);
    assert_eq!(bench.finish(again.lease(), done()).await, FinishOutcome::Accepted(Status::Succeeded));
}

pub(super) async fn what_was_adopted_without_an_answer_is_adopted_again(bench: Bench) {
    let worker = a_worker();
    let lost = bench.started(a_run()).await;
    bench.lose_workers().await;
    let unanswered = bench.claim_one(&worker).await;
    assert!(unanswered.adopted);
    let found = bench.claim_as(&knowing(&worker, &[])).await.runs;
    let [again] = &found[..] else { panic!("one run: {found:?}") };
    assert_eq!((again.run.id, again.adopted, again.run.attempt), (lost.run.id, true, 1), "its work is under way");
}

pub(super) async fn what_was_leased_ahead_without_an_answer_is_free_again(bench: Bench) {
    let worker = a_worker();
    bench.submit(a_run()).await;
    let request = worker.asks_for(10);
    let ahead = crate::store::Ahead { tasks: [task("work")].into(), spare: 0 };
    assert_eq!(bench.claim_as(&ClaimRequest { ahead: Some(ahead), ..request }).await.runs.len(), 1);
    let found = bench.claim_as(&knowing(&worker, &[])).await.runs;
    assert_eq!(found.iter().map(|claimed| (claimed.adopted, claimed.run.attempt)).collect::<Vec<_>>(), [(false, 1)]);
}

pub(super) async fn what_the_worker_knows_and_what_others_hold_stays(bench: Bench) {
    let worker = a_worker();
    bench.submit(a_run()).await;
    let known = bench.claim_one(&worker).await;
    bench.submit(a_run()).await;
    let of_another = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.claim_as(&knowing(&worker, &[&known])).await.runs, []);
    for claimed in [known, of_another] {
        bench.succeed(&claimed).await;
    }
}
