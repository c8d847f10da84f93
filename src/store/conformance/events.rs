//! Events and log chunks of attempts.

use super::prelude::*;

impl Bench {
    async fn seqs(&self, run: RunId) -> Vec<i64> {
        self.events(run).await.iter().map(|event| event.seq).collect()
    }
}

pub(super) async fn events_are_numbered_from_one_without_gaps(bench: Bench) {
    let claimed = bench.running().await;
    assert_eq!(bench.log(claimed.lease(), &["a", "b"]).await, AppendOutcome::Appended { last: 2 });
    assert_eq!(bench.log(claimed.lease(), &["c"]).await, AppendOutcome::Appended { last: 3 });
    assert_eq!(bench.seqs(claimed.run.id).await, [1, 2, 3]);
}

pub(super) async fn an_event_is_kept_as_it_was_told(bench: Bench) {
    let claimed = bench.running().await;
    let kinds = [EventKind::Log, EventKind::Progress, EventKind::Usage];
    let told = kinds.map(|kind| NewEvent { kind, data: json(r#"{"b": 1,  "a": "ü"}"#) });
    bench.wait(4);
    let append = Append { lease: claimed.lease(), events: told.to_vec() };
    bench.store.append(&[append]).await.expect("append answers");
    let events = bench.events(claimed.run.id).await;
    assert_eq!(events.iter().map(|event| event.kind).collect::<Vec<_>>(), kinds);
    for event in events {
        assert_eq!((event.at, event.attempt, event.data), (bench.now(), 1, told[0].data.clone()));
    }
}

pub(super) async fn appending_nothing_tells_the_last_number(bench: Bench) {
    let claimed = bench.running().await;
    assert_eq!(bench.log(claimed.lease(), &[]).await, AppendOutcome::Appended { last: 0 });
    bench.log(claimed.lease(), &["a", "b"]).await;
    assert_eq!(bench.log(claimed.lease(), &[]).await, AppendOutcome::Appended { last: 2 });
}

pub(super) async fn events_go_on_over_attempts_and_say_which(bench: Bench) {
    let first = bench.running().await;
    bench.log(first.lease(), &["a"]).await;
    bench.fail(&first).await;
    bench.wait_for_retry().await;
    let second = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.log(second.lease(), &["b"]).await, AppendOutcome::Appended { last: 2 });
    let events = bench.events(first.run.id).await;
    assert_eq!(events.iter().map(|event| (event.seq, event.attempt)).collect::<Vec<_>>(), [(1, 1), (2, 2)]);
}

pub(super) async fn events_are_read_after_a_number(bench: Bench) {
    let claimed = bench.running().await;
    bench.log(claimed.lease(), &["a", "b", "c", "d"]).await;
    let after = async |after, limit| {
        let events = bench.events_after(claimed.run.id, after, limit).await;
        events.iter().map(|event| event.seq).collect::<Vec<_>>()
    };
    assert_eq!(after(0, 2).await, [1, 2]);
    assert_eq!(after(2, 10).await, [3, 4]);
    assert_eq!(after(4, 10).await, [] as [i64; 0]);
    assert_eq!(after(99, 10).await, [] as [i64; 0]);
}

pub(super) async fn events_outlive_the_run(bench: Bench) {
    let claimed = bench.running().await;
    bench.log(claimed.lease(), &["a", "b"]).await;
    let before = bench.events(claimed.run.id).await;
    bench.succeed(&claimed).await;
    assert_eq!(bench.events(claimed.run.id).await, before);
}

pub(super) async fn the_events_of_a_run_back_from_history_go_on(bench: Bench) {
    let claimed = bench.running().await;
    bench.log(claimed.lease(), &["a", "b"]).await;
    bench.fail_for_good(&claimed).await;
    bench.resume(claimed.run.id).await;
    let again = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.log(again.lease(), &["c"]).await, AppendOutcome::Appended { last: 3 });
    assert_eq!(bench.seqs(claimed.run.id).await, [1, 2, 3]);
}

pub(super) async fn a_lost_lease_cannot_append(bench: Bench) {
    let claimed = bench.running().await;
    bench.log(claimed.lease(), &["a"]).await;
    let before = bench.everything().await;
    for epoch in [claimed.run.epoch - 1, claimed.run.epoch + 1] {
        let stale = Lease { epoch, ..claimed.lease() };
        assert_eq!(bench.log(stale, &["b"]).await, AppendOutcome::LeaseLost);
    }
    bench.clock.advance(LEASE);
    assert_eq!(bench.log(claimed.lease(), &["b"]).await, AppendOutcome::LeaseLost);
    let unknown = Lease { run: RunId::new(), epoch: 1 };
    assert_eq!(bench.log(unknown, &["b"]).await, AppendOutcome::LeaseLost);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_finished_run_takes_no_events(bench: Bench) {
    let claimed = bench.running().await;
    bench.succeed(&claimed).await;
    assert_eq!(bench.log(claimed.lease(), &["late"]).await, AppendOutcome::LeaseLost);
    assert_eq!(bench.events(claimed.run.id).await, []);
}

pub(super) async fn appends_are_judged_one_by_one_in_order(bench: Bench) {
    bench.submit_all([a_run(), a_run()]).await;
    let claimed = bench.claim_all().await;
    let append = |lease: Lease, lines: usize| Append {
        lease,
        events: vec![NewEvent { kind: EventKind::Log, data: json("1") }; lines],
    };
    let stale = Lease { epoch: 7, ..claimed[1].lease() };
    let (one, two) = (claimed[0].lease(), claimed[1].lease());
    let batch = [append(one, 2), append(stale, 1), append(two, 1), append(one, 3)];
    let outcomes = bench.store.append(&batch).await.expect("append answers");
    let last = |last| AppendOutcome::Appended { last };
    assert_eq!(outcomes, [last(2), AppendOutcome::LeaseLost, last(1), last(5)]);
    assert_eq!(bench.seqs(one.run).await, [1, 2, 3, 4, 5]);
    assert_eq!(bench.seqs(two.run).await, [1]);
}

pub(super) async fn a_run_without_events_has_none(bench: Bench) {
    let id = bench.submit(a_run()).await;
    assert_eq!(bench.events(id).await, []);
}
