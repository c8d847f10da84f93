//! Running an old run's work again, as a new run.

use super::prelude::*;

impl Bench {
    async fn rerun(&self, run: RunId, id: RunId) -> RerunOutcome {
        self.store.rerun(&home(), run, id, Admission::default()).await.expect("rerun answers")
    }
}

const SUBMITTED: RerunOutcome = RerunOutcome::Submitted(SubmitOutcome::Created);

pub(super) async fn a_rerun_is_a_new_run_of_the_same_work(bench: Bench) {
    let mut request = a_run().task("t").queue("q").lane("l").priority(3).payload("[1]").max_attempts(5);
    request.0.metadata = Some(json("2"));
    let old = bench.failed(request.timeout(8).retry(1, 2, 3)).await;
    bench.wait(9);
    let new = RunId::new();
    assert_eq!(bench.rerun(old, new).await, SUBMITTED);
    let (old, new) = (bench.run(old).await, bench.run(new).await);
    assert_eq!((&new.task, &new.queue, &new.lane, new.priority), (&old.task, &old.queue, &old.lane, old.priority));
    assert_eq!((&new.payload, &new.metadata), (&old.payload, &old.metadata));
    assert_eq!((new.max_attempts, new.timeout_seconds, new.retry), (5, old.timeout_seconds, old.retry));
    assert_eq!((new.attempt, new.epoch, &new.error, &new.state), (0, 0, &None, &State::Queued(None)));
    assert_eq!((new.requested_at, new.available_at, new.started_at), (bench.now(), bench.now(), None));
    assert!(new.seq > old.seq);
}

pub(super) async fn a_rerun_leaves_the_old_run_as_it_is(bench: Bench) {
    let old = bench.failed(a_run()).await;
    let before = (bench.run(old).await, bench.attempts(old).await);
    bench.rerun(old, RunId::new()).await;
    assert_eq!((bench.run(old).await, bench.attempts(old).await), before);
}

pub(super) async fn a_run_of_any_status_can_be_run_again(bench: Bench) {
    let running = bench.running().await.run.id;
    let over = [bench.succeeded(a_run()).await, bench.cancelled(a_run()).await, bench.timed_out(a_run()).await];
    let waiting = [bench.submit(a_run().held()).await, bench.submit(a_run().due_in(60)).await];
    for old in [running].into_iter().chain(over).chain(waiting) {
        let new = RunId::new();
        assert_eq!(bench.rerun(old, new).await, SUBMITTED);
        assert!(bench.is_ready(new).await);
    }
}

pub(super) async fn key_and_upstream_stay_behind(bench: Bench) {
    let upstream = bench.submit(a_run().held()).await;
    let old = bench.submit(a_run().key("k", KeyMode::Keep).after(&[upstream])).await;
    let new = RunId::new();
    assert_eq!(bench.rerun(old, new).await, SUBMITTED);
    assert_eq!((bench.run(new).await.key, bench.waits(new).await), (None, vec![]));
    assert!(bench.is_ready(new).await);
}

pub(super) async fn attempts_granted_by_a_resume_stay_behind(bench: Bench) {
    let old = bench.failed(a_run().max_attempts(2)).await;
    bench.resume(old).await;
    let new = RunId::new();
    bench.rerun(old, new).await;
    assert_eq!(bench.run(new).await.max_attempts, 2);
}

pub(super) async fn a_rerun_waits_for_its_lane(bench: Bench) {
    let old = bench.started(a_run().lane("l")).await;
    let new = RunId::new();
    bench.rerun(old.run.id, new).await;
    assert_eq!(bench.blocked_by(new).await, Some(BlockedBy::Lane));
    bench.succeed(&old).await;
    assert!(bench.is_ready(new).await);
}

pub(super) async fn a_rerun_needs_an_id_of_its_own(bench: Bench) {
    let old = bench.succeeded(a_run()).await;
    let before = bench.everything().await;
    assert_eq!(bench.rerun(old, old).await, RerunOutcome::Submitted(SubmitOutcome::DuplicateId));
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn an_unknown_run_cannot_be_run_again(bench: Bench) {
    let before = bench.everything().await;
    assert_eq!(bench.rerun(RunId::new(), RunId::new()).await, RerunOutcome::NotFound);
    assert_eq!(bench.everything().await, before);
}
