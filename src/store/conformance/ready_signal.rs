//! Whoever waits for something to claim hears of it when the verb that made it ready has answered, and of nothing else.

use super::prelude::*;

pub(super) async fn a_new_run_is_told_of(bench: Bench) {
    let mut signal = bench.store.ready_signal();
    assert!(!signal.take());
    bench.submit(a_run()).await;
    assert!(signal.take());
    assert!(!signal.take(), "once");
    bench.submit(a_run().lane("l")).await;
    assert!(signal.take());
}

pub(super) async fn everybody_who_waits_is_told(bench: Bench) {
    let (mut one, mut other) = (bench.store.ready_signal(), bench.store.ready_signal());
    bench.submit(a_run()).await;
    one.changed().await;
    other.changed().await;
    let mut late = bench.store.ready_signal();
    assert!(!late.take(), "of what was before, the first claim will know");
}

pub(super) async fn a_run_that_cannot_start_yet_is_not_told_of(bench: Bench) {
    let running = bench.started(a_run().lane("l")).await;
    let mut signal = bench.store.ready_signal();
    bench.submit_all([a_run().due_in(10), a_run().held(), a_run().lane("l")]).await;
    bench.submit(a_run().after(&[running.run.id])).await;
    assert_eq!(bench.try_submit(a_run().id(running.run.id)).await, SubmitOutcome::DuplicateId);
    assert!(!signal.take());
}

pub(super) async fn a_replacement_that_may_start_is_told_of(bench: Bench) {
    bench.submit(a_run().key("k", KeyMode::Replace).due_in(10)).await;
    let mut signal = bench.store.ready_signal();
    bench.try_submit(a_run().key("k", KeyMode::Replace)).await;
    assert!(signal.take());
}

pub(super) async fn a_success_that_frees_nothing_is_not_told_of(bench: Bench) {
    bench.limit_queue("other", 1).await;
    let claimed = bench.running().await;
    bench.submit(a_run()).await;
    let mut signal = bench.store.ready_signal();
    bench.succeed(&claimed).await;
    assert!(!signal.take());
}

pub(super) async fn a_failure_that_frees_nothing_is_not_told_of(bench: Bench) {
    bench.submit_all([a_run(), a_run()]).await;
    let claimed = bench.claim_all().await;
    let mut signal = bench.store.ready_signal();
    bench.fail(&claimed[0]).await;
    bench.fail_for_good(&claimed[1]).await;
    assert!(!signal.take(), "the second attempt is a second away");
}

pub(super) async fn work_under_way_is_not_told_of(bench: Bench) {
    bench.submit_all([a_run(), a_run()]).await;
    let mut signal = bench.store.ready_signal();
    let claimed = bench.claim_one(&a_worker()).await;
    bench.renew(claimed.lease()).await;
    bench.log(claimed.lease(), &["a line"]).await;
    bench.store.heartbeat(&a_worker().info()).await.expect("heartbeat answers");
    bench.cancel(claimed.run.id).await;
    bench.reap().await;
    bench.promote().await;
    bench.expire().await;
    assert!(!signal.take());
}

pub(super) async fn a_worker_asked_to_drain_is_told(bench: Bench) {
    let worker = a_worker();
    bench.store.heartbeat(&worker.info()).await.expect("heartbeat answers");
    let mut signal = bench.store.ready_signal();
    bench.store.drain(WorkerId::new()).await.expect("drain answers");
    assert!(!signal.take(), "nobody was asked");
    bench.store.drain(worker.taker.worker).await.expect("drain answers");
    assert!(signal.take());
}

pub(super) async fn a_lane_that_goes_on_is_told_of(bench: Bench) {
    let [plain, failing] = ["plain", "failing"];
    bench.submit_all([plain, plain, failing, failing].map(|lane| a_run().lane(lane))).await;
    let claimed = bench.claim_all().await;
    let mut signal = bench.store.ready_signal();
    bench.succeed(&claimed[0]).await;
    assert!(signal.take());
    bench.fail_for_good(&claimed[1]).await;
    assert!(signal.take());
}

pub(super) async fn a_lane_with_nobody_left_is_not_told_of(bench: Bench) {
    let claimed = bench.started(a_run().lane("l")).await;
    let mut signal = bench.store.ready_signal();
    bench.succeed(&claimed).await;
    assert!(!signal.take());
}

pub(super) async fn a_run_that_waited_for_another_is_told_of(bench: Bench) {
    let upstream = bench.running().await;
    bench.submit(a_run().after(&[upstream.run.id])).await;
    let mut signal = bench.store.ready_signal();
    bench.succeed(&upstream).await;
    assert!(signal.take());
}

pub(super) async fn room_in_a_limited_queue_is_told_of(bench: Bench) {
    bench.limit_queue("q", 1).await;
    bench.submit_all([a_run().queue("q"), a_run().queue("q"), a_run().queue("q")]).await;
    let mut signal = bench.store.ready_signal();
    let first = bench.claim_one(&a_worker()).await;
    bench.succeed(&first).await;
    assert!(signal.take());
    let second = bench.claim_one(&a_worker()).await;
    bench.fail_for_good(&second).await;
    assert!(signal.take());
}

pub(super) async fn a_second_attempt_at_once_is_told_of(bench: Bench) {
    let claimed = bench.running().await;
    let mut signal = bench.store.ready_signal();
    let again = Outcome::Failed { error: RunError::new("boom", "it broke"), retry: Retry::After(seconds(0)) };
    bench.finish(claimed.lease(), again).await;
    assert!(signal.take());
}

pub(super) async fn work_given_back_is_told_of(bench: Bench) {
    bench.submit_all([a_run(), a_run(), a_run()]).await;
    let claimed = bench.claim_all().await;
    let mut signal = bench.store.ready_signal();
    bench.release(claimed[0].lease(), Release::ToQueue).await;
    assert!(signal.take());
    bench.release(claimed[1].lease(), Release::ForAdoption).await;
    assert!(signal.take());
    bench.release(claimed[2].lease(), Release::ToPaused).await;
    assert!(!signal.take());
}

pub(super) async fn an_orphan_is_told_of(bench: Bench) {
    bench.running().await;
    let mut signal = bench.store.ready_signal();
    bench.lose_workers().await;
    assert!(signal.take());
}

pub(super) async fn a_run_whose_time_has_come_is_told_of(bench: Bench) {
    bench.submit(a_run().due_in(10)).await;
    let mut signal = bench.store.ready_signal();
    bench.wait(10);
    bench.promote().await;
    assert!(signal.take());
}

pub(super) async fn an_expired_attempt_that_frees_its_lane_is_told_of(bench: Bench) {
    bench.submit_all([a_run().lane("l").max_attempts(1).timeout(5), a_run().lane("l")]).await;
    bench.claim_all().await;
    let mut signal = bench.store.ready_signal();
    bench.wait(5);
    bench.expire().await;
    assert!(signal.take());
}

pub(super) async fn what_a_command_makes_ready_is_told_of(bench: Bench) {
    let (held, paused) = (bench.submit(a_run().held()).await, bench.paused(a_run()).await);
    let first = bench.submit(a_run().lane("l")).await;
    bench.submit(a_run().lane("l")).await;
    let mut signal = bench.store.ready_signal();
    bench.enqueue(held).await;
    assert!(signal.take());
    bench.resume(paused).await;
    assert!(signal.take());
    bench.cancel(first).await;
    assert!(signal.take(), "the next in the lane");
    bench.pause(paused).await;
    assert!(!signal.take());
}

pub(super) async fn a_rerun_is_told_of(bench: Bench) {
    let old = bench.succeeded(a_run()).await;
    let mut signal = bench.store.ready_signal();
    let again = bench.store.rerun(&home(), old, RunId::new(), Admission::default()).await.expect("rerun answers");
    assert_eq!(again, RerunOutcome::Submitted(SubmitOutcome::Created));
    assert!(signal.take());
}

pub(super) async fn a_lane_let_go_is_told_of(bench: Bench) {
    for lane_name in ["dismissed", "released", "continued"] {
        let name = lane(lane_name);
        bench.store.set_lane_policy(&home(), &name, LanePolicy::Hold).await.expect("set_lane_policy answers");
        let failed = bench.failed(a_run().lane(lane_name)).await;
        let mut signal = bench.store.ready_signal();
        bench.submit(a_run().lane(lane_name)).await;
        assert!(!signal.take(), "it is held");
        match lane_name {
            "dismissed" => drop(bench.dismiss(failed).await),
            "released" => drop(bench.store.release_lane(&home(), &name).await.expect("release_lane answers")),
            _ => drop(bench.store.set_lane_policy(&home(), &name, LanePolicy::Continue).await.expect("it answers")),
        }
        assert!(signal.take(), "{lane_name}");
        let next = bench.claim_one(&a_worker()).await;
        bench.succeed(&next).await;
    }
}

pub(super) async fn a_queue_that_goes_on_is_told_of(bench: Bench) {
    bench.submit_all([a_run().queue("q"), a_run().queue("q")]).await;
    let mut signal = bench.store.ready_signal();
    bench.pause_queue("q").await;
    assert!(!signal.take());
    bench.limit_queue("q", 1).await;
    assert!(!signal.take(), "it is paused still");
    bench.resume_queue("q").await;
    assert!(signal.take());
    bench.claim_all().await;
    bench.limit_queue("q", 2).await;
    assert!(signal.take());
}
