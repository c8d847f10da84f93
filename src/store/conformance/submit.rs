//! Submitting: what is stored, in which order, and what is refused.

use super::prelude::*;
use crate::run::lifecycle;

pub(super) async fn a_new_run_is_stored_as_it_was_asked_for(bench: Bench) {
    let mut asked = a_run().task("resize").queue("images").lane("disk").priority(7).payload(r#"{"w":3}"#);
    asked = asked.max_attempts(5).timeout(90).retry(10, 2, 400).key("k", KeyMode::Keep);
    asked.0.metadata = Some(json(r#"{"by":"me"}"#));
    let id = bench.submit(asked.clone()).await;
    let run = bench.run(id).await;
    let expected = Run {
        id,
        seq: run.seq,
        revision: run.revision,
        workspace: home(),
        task: task("resize"),
        queue: queue("images"),
        lane: Some(lane("disk")),
        priority: asked.0.priority,
        payload: json(r#"{"w":3}"#),
        metadata: Some(json(r#"{"by":"me"}"#)),
        key: asked.0.key.map(|(key, _)| key),
        attempt: 0,
        max_attempts: 5,
        attempts_granted: 5,
        interruptions: 0,
        postponements: 0,
        epoch: 0,
        timeout_seconds: Some(90),
        retry: asked.0.retry,
        available_at: bench.now(),
        start_by: None,
        requested_at: bench.now(),
        started_at: None,
        error: None,
        output: None,
        awaited: run.awaited,
        scheduled: None,
        state: State::Queued(None),
    };
    assert_eq!(run, expected);
}

pub(super) async fn each_run_of_a_batch_is_stored_as_it_was_asked_for(bench: Bench) {
    bench.workspace("other").await;
    let mut noted = a_run();
    noted.0.metadata = Some(json(r#"{"by":"me"}"#));
    let one_thing = [a_run().task("resize"), a_run().queue("images"), a_run().priority(7), a_run().max_attempts(5)];
    let more = [
        a_run().timeout(u32::MAX),
        a_run().start_within(9),
        a_run().retry(10, 2, 400),
        a_run().of("other"),
        a_run().payload("2"),
        noted,
    ];
    for other in one_thing.into_iter().chain(more) {
        // Runs of one kind may be stored by another way than those of several.
        let alike = [other.clone().id(RunId::new()), other.clone().id(RunId::new()).payload("3")];
        for asked in [vec![a_run(), other, a_run().payload("1")], alike.to_vec()] {
            bench.submit_all(asked.clone()).await;
            for ARun(asked) in asked {
                let run = bench.store.run(&asked.workspace, asked.id).await.expect("run answers").expect("it is there");
                assert_eq!(run, lifecycle::submit(&asked, run.seq, false, bench.now()));
            }
        }
    }
}

pub(super) async fn what_was_not_asked_for_has_its_default(bench: Bench) {
    let id = bench.submit(a_run()).await;
    let run = bench.run(id).await;
    assert_eq!((run.max_attempts, run.timeout_seconds, run.retry), (3, None, None));
    assert_eq!((run.lane, run.key, run.metadata, run.priority.get()), (None, None, None, 0));
    assert_eq!((run.workspace.as_str(), run.queue.as_str()), ("default", "default"));
}

pub(super) async fn a_payload_comes_back_as_the_very_text_it_was(bench: Bench) {
    let text = r#"{"b": 1.0,  "a": [2e3, 12345678901234567890], "a": "ü ✓ \" \\", "": null}"#;
    let id = bench.submit(a_run().payload(text)).await;
    assert_eq!(bench.run(id).await.payload.as_str(), text);
    assert_eq!(bench.claim_one(&a_worker()).await.run.payload.as_str(), text);
}

pub(super) async fn a_large_payload_is_kept_whole(bench: Bench) {
    let text = format!("{:?}", "runlane ".repeat(60_000));
    let id = bench.submit(a_run().payload(&text)).await;
    assert!(bench.run(id).await.payload.as_str() == text, "the payload differs");
}

pub(super) async fn runs_are_numbered_in_the_order_of_submission(bench: Bench) {
    // Ids do not decide: the second run has the lower one.
    let (low, high) = (RunId::new(), RunId::new());
    bench.submit_all([a_run().id(high), a_run().id(low)]).await;
    let third = bench.submit(a_run()).await;
    let seqs = [bench.run(high).await.seq, bench.run(low).await.seq, bench.run(third).await.seq];
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
}

pub(super) async fn an_empty_batch_is_answered_by_nothing(bench: Bench) {
    assert_eq!(bench.submit_all([]).await, []);
}

pub(super) async fn an_id_is_used_once(bench: Bench) {
    let queued = bench.submit(a_run().due_in(60)).await;
    let finished = bench.succeeded(a_run()).await;
    let before = bench.everything().await;
    for taken in [queued, finished] {
        assert_eq!(bench.try_submit(a_run().id(taken).payload("2")).await, SubmitOutcome::DuplicateId);
    }
    assert_eq!(bench.everything().await, before);
    for task in ["work", "other"] {
        let outcomes = bench.submit_all([a_run(), a_run().id(finished).task(task), a_run()]).await;
        assert_eq!(outcomes, [SubmitOutcome::Created, SubmitOutcome::DuplicateId, SubmitOutcome::Created]);
    }
}

pub(super) async fn an_id_used_in_another_workspace_is_taken_too(bench: Bench) {
    bench.workspace("other").await;
    let taken = bench.submit(a_run().of("other")).await;
    let before = bench.everything().await;
    assert_eq!(bench.try_submit(a_run().id(taken)).await, SubmitOutcome::DuplicateId);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn an_id_twice_in_a_batch_belongs_to_the_first(bench: Bench) {
    let id = RunId::new();
    let outcomes = bench.submit_all([a_run().id(id).payload("1"), a_run().id(id).payload("2")]).await;
    assert_eq!(outcomes, [SubmitOutcome::Created, SubmitOutcome::DuplicateId]);
    assert_eq!(bench.run(id).await.payload, json("1"));
}

pub(super) async fn an_unknown_workspace_is_refused(bench: Bench) {
    let before = bench.everything().await;
    assert_eq!(bench.try_submit(a_run().of("nowhere")).await, SubmitOutcome::UnknownWorkspace);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_refused_request_does_not_harm_its_neighbours(bench: Bench) {
    let unknown = RunId::new();
    let good = [a_run(), a_run()];
    let ids = good.clone().map(|run| run.0.id);
    let [first, last] = good;
    let outcomes = bench.submit_all([a_run().of("nowhere"), first, a_run().after(&[unknown]), last]).await;
    let refused = (SubmitOutcome::UnknownWorkspace, SubmitOutcome::UnknownUpstream(unknown));
    assert_eq!(outcomes, [refused.0, SubmitOutcome::Created, refused.1, SubmitOutcome::Created]);
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, ids);
}

pub(super) async fn a_run_due_at_a_time_waits_for_it(bench: Bench) {
    let id = bench.submit(a_run().due_at(bench.ahead(90))).await;
    assert_eq!(bench.blocked_by(id).await, Some(BlockedBy::AvailableAt));
    assert_eq!(bench.run(id).await.available_at, bench.ahead(90));
    bench.nothing_to_claim().await;
}

pub(super) async fn a_delay_counts_from_when_the_run_is_stored(bench: Bench) {
    bench.wait(1000);
    let id = bench.submit(a_run().due_in(90)).await;
    assert_eq!(bench.run(id).await.available_at, bench.ahead(90));
    assert_eq!(bench.blocked_by(id).await, Some(BlockedBy::AvailableAt));
}

pub(super) async fn a_run_due_in_the_past_is_ready(bench: Bench) {
    let id = bench.submit(a_run().due_at(bench.ahead(-5))).await;
    assert!(bench.is_ready(id).await);
    assert_eq!(bench.claim_ids(&a_worker(), 1).await, [id]);
}

pub(super) async fn a_held_run_is_pending(bench: Bench) {
    let id = bench.submit(a_run().held()).await;
    assert_eq!(bench.status(id).await, Status::Pending);
    bench.nothing_to_claim().await;
}
