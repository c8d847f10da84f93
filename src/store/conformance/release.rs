//! Releasing: attempts given back at shutdown.

use super::prelude::*;

fn accepted(status: Status) -> FinishOutcome {
    FinishOutcome::Accepted(status)
}

pub(super) async fn work_left_for_adoption_goes_on_without_its_worker(bench: Bench) {
    let claimed = bench.running().await;
    let Some(Tenure::Leased { until }) = claimed.run.execution().map(|execution| execution.tenure) else {
        panic!("not leased: {claimed:?}");
    };
    bench.wait(3);
    assert_eq!(bench.release(claimed.lease(), Release::ForAdoption).await, accepted(Status::Running));
    let run = bench.run(claimed.run.id).await;
    let execution = run.execution().expect("it is running");
    assert_eq!(execution.tenure, Tenure::Orphaned { since: until }, "it may go on as long as the lease allowed");
    assert_eq!((run.attempt, run.epoch), (1, 1));
}

pub(super) async fn work_left_for_adoption_is_adopted_at_once_on_its_host(bench: Bench) {
    let claimed = bench.running().await;
    bench.release(claimed.lease(), Release::ForAdoption).await;
    assert_eq!(bench.claim_ids(&a_worker().on("elsewhere"), 1).await, []);
    let adopted = bench.claim_one(&a_worker()).await;
    assert_eq!((adopted.adopted, adopted.run.attempt, adopted.run.epoch), (true, 1, 2));
}

pub(super) async fn work_left_for_adoption_is_another_hosts_after_the_takeover_delay(bench: Bench) {
    let claimed = bench.running().await;
    bench.release(claimed.lease(), Release::ForAdoption).await;
    // 30 s, which were left of the lease, and 60 s of delay.
    bench.wait(89);
    assert_eq!(bench.claim_ids(&a_worker().on("elsewhere"), 1).await, []);
    bench.wait(1);
    assert_eq!(bench.claim_ids(&a_worker().on("elsewhere"), 1).await, [claimed.run.id]);
}

pub(super) async fn a_stop_request_outlives_a_release_for_adoption(bench: Bench) {
    let claimed = bench.running().await;
    bench.cancel(claimed.run.id).await;
    assert_eq!(bench.release(claimed.lease(), Release::ForAdoption).await, accepted(Status::Running));
    let adopted = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.renew(adopted.lease()).await, Renewal::Renewed { stop: Some(Stop::Cancel) });
}

pub(super) async fn interrupted_work_returns_to_the_queue_without_burning_an_attempt(bench: Bench) {
    let claimed = bench.running().await;
    bench.wait(3);
    assert_eq!(bench.release(claimed.lease(), Release::ToQueue).await, accepted(Status::Queued));
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.attempt, run.interruptions, run.epoch), (0, 1, 1));
    assert_eq!(run.state, State::Queued(None));
    let error = run.error.expect("it says why");
    assert!(error.message.contains("interrupted by shutdown"), "{}", error.message);
}

pub(super) async fn an_interrupted_attempt_starts_again_under_its_number(bench: Bench) {
    let claimed = bench.running().await;
    bench.release(claimed.lease(), Release::ToQueue).await;
    let again = bench.claim_one(&a_worker().on("elsewhere")).await;
    assert_eq!((again.adopted, again.run.attempt, again.run.epoch), (false, 1, 2));
}

pub(super) async fn interruptions_beyond_the_free_ones_count_as_attempts(bench: Bench) {
    let id = bench.submit(a_run().max_attempts(2)).await;
    for _ in 0..FREE_INTERRUPTIONS {
        let claimed = bench.claim_one(&a_worker()).await;
        assert_eq!(bench.release(claimed.lease(), Release::ToQueue).await, accepted(Status::Queued));
    }
    let claimed = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.release(claimed.lease(), Release::ToQueue).await, accepted(Status::Retrying));
    assert_eq!(bench.run(id).await.attempt, 1);
    bench.wait_for_retry().await;
    let claimed = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.release(claimed.lease(), Release::ToQueue).await, accepted(Status::Failed));
    let run = bench.run(id).await;
    assert_eq!((run.attempt, run.interruptions), (2, FREE_INTERRUPTIONS + 2));
    assert_eq!(run.error.map(|error| error.code).as_deref(), Some("interrupted"));
}

pub(super) async fn interrupted_work_that_may_start_only_once_is_paused(bench: Bench) {
    let claimed = bench.started(a_run().max_attempts(1)).await;
    assert_eq!(bench.release(claimed.lease(), Release::ToQueue).await, accepted(Status::Paused));
    let run = bench.run(claimed.run.id).await;
    let error = run.error.clone().expect("it says why");
    assert!(error.message.contains("interrupted by shutdown"), "{}", error.message);
    assert_eq!(run.attempt, 1);
    bench.nothing_to_claim().await;
}

pub(super) async fn work_that_had_not_begun_is_as_if_it_had_not_been_claimed(bench: Bench) {
    let claimed = bench.started(a_run().max_attempts(1)).await;
    assert_eq!(bench.release(claimed.lease(), Release::Unbegun).await, accepted(Status::Queued));
    let run = bench.run(claimed.run.id).await;
    assert_eq!((run.attempt, run.interruptions, run.epoch, run.state), (0, 0, 1, State::Queued(None)));
    let again = bench.claim_one(&a_worker()).await;
    assert_eq!((again.adopted, again.run.attempt, again.run.epoch), (false, 1, 2));
}

pub(super) async fn work_may_be_paused_at_shutdown(bench: Bench) {
    let claimed = bench.running().await;
    assert_eq!(bench.release(claimed.lease(), Release::ToPaused).await, accepted(Status::Paused));
    let error = bench.run(claimed.run.id).await.error.expect("it says why");
    assert!(error.message.contains("interrupted by shutdown"), "{}", error.message);
}

pub(super) async fn stopped_work_that_was_to_be_cancelled_is(bench: Bench) {
    for how in [Release::ToQueue, Release::ToPaused, Release::Unbegun] {
        let claimed = bench.running().await;
        bench.cancel(claimed.run.id).await;
        assert_eq!(bench.release(claimed.lease(), how).await, accepted(Status::Cancelled));
    }
    bench.nothing_to_claim().await;
}

pub(super) async fn stopped_work_that_was_to_be_paused_is(bench: Bench) {
    for how in [Release::ToQueue, Release::ToPaused, Release::Unbegun] {
        let claimed = bench.running().await;
        bench.pause(claimed.run.id).await;
        assert_eq!(bench.release(claimed.lease(), how).await, accepted(Status::Paused));
    }
    bench.nothing_to_claim().await;
}

pub(super) async fn a_lost_lease_cannot_be_released(bench: Bench) {
    bench.submit_all([a_run(), a_run()]).await;
    let claimed = bench.claim_all().await;
    let (expired, held) = (&claimed[0], &claimed[1]);
    bench.wait(20);
    bench.renew(held.lease()).await;
    bench.wait(10);
    let before = bench.everything().await;
    let stale = Lease { epoch: held.run.epoch - 1, ..held.lease() };
    let unknown = Lease { run: RunId::new(), epoch: 1 };
    for lease in [expired.lease(), stale, unknown] {
        for how in [Release::ForAdoption, Release::ToQueue, Release::ToPaused, Release::Unbegun] {
            assert_eq!(bench.release(lease, how).await, FinishOutcome::LeaseLost);
        }
    }
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_lease_is_released_once(bench: Bench) {
    let claimed = bench.running().await;
    let release = |how| ReleaseLease { lease: claimed.lease(), how };
    let batch = [release(Release::ForAdoption), release(Release::ToQueue)];
    let outcomes = bench.store.release(&batch).await.expect("release answers");
    assert_eq!(outcomes, [accepted(Status::Running), FinishOutcome::LeaseLost]);
}

pub(super) async fn releases_are_judged_one_by_one_in_order(bench: Bench) {
    bench.submit_all([a_run(), a_run(), a_run()]).await;
    let claimed = bench.claim_all().await;
    bench.succeed(&claimed[1]).await;
    let batch: Vec<ReleaseLease> =
        claimed.iter().map(|claimed| ReleaseLease { lease: claimed.lease(), how: Release::ToQueue }).collect();
    let outcomes = bench.store.release(&batch).await.expect("release answers");
    assert_eq!(outcomes, [accepted(Status::Queued), FinishOutcome::LeaseLost, accepted(Status::Queued)]);
}
