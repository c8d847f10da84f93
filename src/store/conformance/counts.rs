//! Counting live runs, for metrics.

use super::prelude::*;

impl Bench {
    async fn count(&self, queue_name: &str, status: Status) -> Option<Count> {
        let mut counts = self.counts().await;
        counts.retain(|count| count.workspace == home() && count.queue == queue(queue_name) && count.status == status);
        assert!(counts.len() <= 1, "{counts:?}");
        counts.pop()
    }
}

pub(super) async fn an_empty_store_counts_nothing(bench: Bench) {
    bench.succeeded(a_run()).await;
    assert_eq!(bench.counts().await, []);
}

pub(super) async fn live_runs_are_counted_by_workspace_queue_and_status(bench: Bench) {
    bench.workspace("other").await;
    bench.running().await;
    bench.retrying(a_run()).await;
    bench.paused(a_run()).await;
    bench.failed(a_run()).await;
    bench.submit_all([a_run().held(), a_run().held(), a_run(), a_run().queue("q"), a_run().of("other")]).await;
    let mut seen: Vec<(String, String, Status, u64)> = Vec::new();
    for count in bench.counts().await {
        seen.push((count.workspace.to_string(), count.queue.to_string(), count.status, count.runs));
    }
    seen.sort();
    let of = |workspace: &str, queue: &str, status, runs| (workspace.to_owned(), queue.to_owned(), status, runs);
    let expected = [
        of("default", "default", Status::Pending, 2),
        of("default", "default", Status::Queued, 1),
        of("default", "default", Status::Running, 1),
        of("default", "default", Status::Retrying, 1),
        of("default", "default", Status::Paused, 1),
        of("default", "q", Status::Queued, 1),
        of("other", "default", Status::Queued, 1),
    ];
    assert_eq!(seen, expected);
}

pub(super) async fn ready_runs_are_counted_apart(bench: Bench) {
    let upstream = bench.submit(a_run().held()).await;
    bench.submit_all([a_run(), a_run().due_in(60), a_run().after(&[upstream])]).await;
    bench.submit_all([a_run().lane("l"), a_run().lane("l")]).await;
    let count = bench.count("default", Status::Queued).await.expect("there are some");
    assert_eq!((count.runs, count.ready), (5, 2));
}

pub(super) async fn the_oldest_ready_run_tells_how_long_it_waits(bench: Bench) {
    bench.submit(a_run().due_in(1)).await;
    bench.wait(2);
    bench.submit(a_run()).await;
    let since = bench.now();
    bench.wait(5);
    bench.submit(a_run()).await;
    let count = bench.count("default", Status::Queued).await.expect("there are some");
    assert_eq!(count.oldest_ready, Some(since));
}

pub(super) async fn what_is_not_ready_has_no_oldest(bench: Bench) {
    bench.running().await;
    bench.submit(a_run().due_in(60)).await;
    for status in [Status::Running, Status::Queued] {
        let count = bench.count("default", status).await.expect("there is one");
        assert_eq!((count.runs, count.ready, count.oldest_ready), (1, 0, None));
    }
}

pub(super) async fn a_retry_whose_time_has_come_is_ready(bench: Bench) {
    bench.retrying(a_run()).await;
    let due = bench.ahead(1);
    bench.wait_for_retry().await;
    let count = bench.count("default", Status::Retrying).await.expect("there is one");
    assert_eq!((count.runs, count.ready, count.oldest_ready), (1, 1, Some(due)));
}

pub(super) async fn counts_follow_every_step(bench: Bench) {
    let runs = async |status| bench.count("default", status).await.map_or(0, |count| count.runs);
    let id = bench.submit(a_run()).await;
    assert_eq!((runs(Status::Queued).await, runs(Status::Running).await), (1, 0));
    let claimed = bench.claim_one(&a_worker()).await;
    assert_eq!((runs(Status::Queued).await, runs(Status::Running).await), (0, 1));
    bench.fail_for_good(&claimed).await;
    assert_eq!(bench.counts().await, []);
    bench.resume(id).await;
    assert_eq!(runs(Status::Queued).await, 1);
}
