//! Runs that must have begun by a time, or not at all.

use jiff::Timestamp;

use super::prelude::*;
use crate::run::StartBy;
use crate::store::{Ahead, ClaimRequest, ClaimScope};

/// Its end, if it ended because of its deadline.
async fn ended_too_late(bench: &Bench, id: RunId) -> Option<Timestamp> {
    let run = bench.run(id).await;
    let code = run.error.as_ref().map(|error| error.code.as_str());
    (run.status() == Status::Cancelled && code == Some("start_deadline_passed")).then(|| run.finished_at())?
}

pub(super) async fn the_deadline_is_kept_as_it_was_asked_for(bench: Bench) {
    let at = bench.submit(a_run().due_in(5).start_by(StartBy::At(bench.ahead(60)))).await;
    let within = bench.submit(a_run().due_in(5).start_within(60)).await;
    assert_eq!(bench.run(at).await.start_by, Some(bench.ahead(60)));
    assert_eq!(bench.run(within).await.start_by, Some(bench.ahead(65)), "from when it is due");
    assert_eq!(bench.run(bench.submit(a_run()).await).await.start_by, None);
}

pub(super) async fn a_run_that_begins_in_time_is_a_run_like_any_other(bench: Bench) {
    let id = bench.submit(a_run().start_within(10)).await;
    bench.wait(9);
    let claimed = bench.claim_one(&a_worker()).await;
    bench.wait(5);
    assert_eq!(bench.promote_up_to(10).await.too_late, 0, "it has begun");
    bench.succeed(&claimed).await;
    assert_eq!(bench.run(id).await.status(), Status::Succeeded);
}

pub(super) async fn a_run_that_begins_too_late_is_not_executed(bench: Bench) {
    let id = bench.submit(a_run().start_within(10)).await;
    bench.wait(10);
    bench.nothing_to_claim().await;
    assert_eq!(bench.promote_up_to(10).await.too_late, 1);
    assert_eq!(ended_too_late(&bench, id).await, Some(bench.now()));
    let run = bench.run(id).await;
    assert_eq!((run.attempt, run.started_at), (0, None));
}

pub(super) async fn a_run_that_is_too_late_keeps_nobody_behind_it_waiting(bench: Bench) {
    bench.submit(a_run().priority(9).start_within(10)).await;
    let next = bench.submit(a_run()).await;
    bench.wait(10);
    assert_eq!(bench.claim_ids(&a_worker(), 1).await, [next]);
}

pub(super) async fn a_run_that_is_too_late_takes_no_turn_from_another_queue(bench: Bench) {
    bench.submit(a_run().queue("first").start_within(10)).await;
    let other = bench.submit(a_run().queue("second")).await;
    bench.wait(10);
    assert_eq!(bench.claim_ids(&a_worker(), 1).await, [other]);
}

pub(super) async fn a_run_ends_at_its_deadline_whatever_it_waits_for(bench: Bench) {
    let upstream = bench.submit(a_run()).await;
    let late = [
        a_run().start_within(10).held(),
        a_run().start_within(10).after(&[upstream]),
        a_run().due_in(5).start_within(5),
        a_run().due_in(60).start_by(StartBy::At(bench.ahead(10))),
    ];
    let mut ids = Vec::new();
    for run in late {
        ids.push(bench.submit(run).await);
    }
    let paused = bench.submit(a_run().start_within(10)).await;
    bench.pause(paused).await;
    ids.push(paused);
    bench.wait(9);
    assert_eq!(bench.promote_up_to(10).await.too_late, 0);
    bench.wait(1);
    assert_eq!(bench.promote_up_to(10).await.too_late, ids.len());
    for id in ids {
        assert_eq!(ended_too_late(&bench, id).await, Some(bench.now()));
    }
    assert_eq!(bench.run(upstream).await.status(), Status::Queued, "it has no deadline");
}

pub(super) async fn a_lane_goes_on_after_a_run_that_was_too_late(bench: Bench) {
    let first = bench.submit(a_run().lane("l").start_within(10)).await;
    let second = bench.submit(a_run().lane("l")).await;
    bench.wait(10);
    bench.promote().await;
    assert!(ended_too_late(&bench, first).await.is_some());
    assert_eq!(bench.claim_one(&a_worker()).await.run.id, second);
}

pub(super) async fn a_run_behind_its_lane_is_not_handed_over_too_late(bench: Bench) {
    let first = bench.started(a_run().lane("l")).await;
    let late = bench.submit(a_run().lane("l").start_within(10)).await;
    bench.wait(10);
    let finish = Finish::of(first.lease(), done());
    let (_, claim) = bench.store.finish_and_claim(&[finish], &a_worker().asks_for(1)).await.expect("an answer");
    assert_eq!(claim.runs, []);
    bench.nothing_to_claim().await;
    bench.promote().await;
    assert!(ended_too_late(&bench, late).await.is_some());
}

pub(super) async fn runs_that_wait_for_one_that_was_too_late_fail(bench: Bench) {
    let late = bench.submit(a_run().start_within(10)).await;
    let downstream = bench.submit(a_run().after(&[late])).await;
    bench.wait(10);
    bench.promote().await;
    let run = bench.run(downstream).await;
    let code = run.error.as_ref().map(|error| error.code.as_str());
    assert_eq!((run.status(), code), (Status::Failed, Some("upstream_failed")));
}

pub(super) async fn another_attempt_is_never_too_late(bench: Bench) {
    let id = bench.retrying(a_run().start_within(10)).await;
    bench.wait(1000);
    assert_eq!(bench.promote_up_to(10).await.too_late, 0);
    assert_eq!(bench.claim_one(&a_worker()).await.run.id, id);
}

pub(super) async fn a_rerun_has_no_deadline(bench: Bench) {
    let id = bench.submit(a_run().start_within(10)).await;
    let again = RunId::new();
    bench.store.rerun(&home(), id, again, Admission::default()).await.expect("an answer");
    assert_eq!(bench.run(again).await.start_by, None);
}

pub(super) async fn a_request_that_replaces_a_run_brings_its_own_deadline(bench: Bench) {
    let id = bench.submit(a_run().key("k", KeyMode::Keep).due_in(20).start_within(10)).await;
    bench.try_submit(a_run().key("k", KeyMode::PreserveAvailableAt).start_within(60)).await;
    assert_eq!(bench.run(id).await.start_by, Some(bench.ahead(80)));
    bench.try_submit(a_run().key("k", KeyMode::Replace)).await;
    assert_eq!(bench.run(id).await.start_by, None);
}

pub(super) async fn the_next_deadline_is_waited_for_like_the_next_run_that_is_due(bench: Bench) {
    bench.submit(a_run().due_in(50)).await;
    bench.submit(a_run().start_within(30)).await;
    assert_eq!(bench.next_due().await, Some(seconds(30)));
    bench.wait(30);
    let pass = bench.promote_up_to(10).await;
    assert_eq!(pass, Promoted { runs: 0, too_late: 1, next_due: Some(seconds(20)) });
}

pub(super) async fn a_pass_ends_no_more_runs_than_its_limit(bench: Bench) {
    bench.submit_all([a_run().start_within(10), a_run().start_within(20)]).await;
    bench.wait(30);
    assert_eq!(bench.promote_up_to(1).await, Promoted { runs: 0, too_late: 1, next_due: Some(seconds(0)) });
    assert_eq!(bench.promote_up_to(1).await, Promoted { runs: 0, too_late: 1, next_due: None });
}

pub(super) async fn a_run_with_a_deadline_is_not_leased_ahead(bench: Bench) {
    let worker = a_worker();
    bench.submit_all([a_run(), a_run().start_within(60), a_run()]).await;
    let ahead = Ahead { tasks: [a_run().0.task].into(), spare: 0 };
    for scope in [ClaimScope::KnownStreams, ClaimScope::Everything] {
        let request = ClaimRequest { scope, ahead: Some(ahead.clone()), ..worker.asks_for(3) };
        let runs = bench.claim_as(&request).await.runs;
        assert!(runs.iter().all(|claimed| claimed.run.start_by.is_none()), "{runs:?}");
    }
    assert_eq!(bench.claim(&worker, 1).await[0].run.start_by, Some(bench.ahead(60)));
}
