//! Reading runs, live and finished as one list.

use super::prelude::*;

pub(super) async fn what_does_not_exist_is_not_found(bench: Bench) {
    let unknown = RunId::new();
    assert_eq!(bench.find(unknown).await, None);
    assert_eq!(bench.store.attempts(&home(), unknown).await.expect("attempts answers"), None);
    assert_eq!(bench.store.waits(&home(), unknown).await.expect("waits answers"), None);
    assert_eq!(bench.store.events(&home(), unknown, 0, 10).await.expect("events answers"), None);
}

pub(super) async fn a_list_is_newest_first_across_live_and_finished(bench: Bench) {
    let first = bench.succeeded(a_run()).await;
    let second = bench.submit(a_run().due_in(60)).await;
    let third = bench.failed(a_run()).await;
    let fourth = bench.running().await.run.id;
    assert_eq!(bench.list(RunFilter::default()).await, [fourth, third, second, first]);
}

pub(super) async fn a_list_shows_runs_as_they_are(bench: Bench) {
    let (over, live) = (bench.succeeded(a_run()).await, bench.submit(a_run()).await);
    let listed = bench.runs_of(&home(), RunFilter::default()).await;
    assert_eq!(listed, [bench.run(live).await, bench.run(over).await]);
}

pub(super) async fn a_list_is_read_in_pages_across_live_and_finished(bench: Bench) {
    let mut all = Vec::new();
    for n in 0..7 {
        all.push(if n % 2 == 0 { bench.succeeded(a_run()).await } else { bench.submit(a_run().due_in(60)).await });
    }
    all.reverse();
    let (mut seen, mut page, mut pages) = (Vec::new(), Page::first(3), Vec::new());
    loop {
        let listed = bench.store.runs(&home(), &RunFilter::default(), &page).await.expect("runs answers");
        pages.push(listed.data.len());
        seen.extend(listed.data.iter().map(|run| run.id));
        let Some(next) = listed.next else { break };
        page.after = Some(next);
    }
    assert_eq!((seen, pages), (all, vec![3, 3, 1]));
}

pub(super) async fn a_list_that_just_fits_has_no_next_page(bench: Bench) {
    bench.submit_all([a_run(), a_run()]).await;
    let listed = bench.store.runs(&home(), &RunFilter::default(), &Page::first(2)).await.expect("runs answers");
    assert_eq!((listed.data.len(), listed.next), (2, None));
}

pub(super) async fn an_empty_list_has_no_next_page(bench: Bench) {
    let listed = bench.store.runs(&home(), &RunFilter::default(), &Page::first(2)).await.expect("runs answers");
    assert_eq!((listed.data, listed.next), (vec![], None));
}

pub(super) async fn a_page_is_not_disturbed_by_what_comes_later(bench: Bench) {
    let first = bench.submit(a_run()).await;
    let second = bench.submit(a_run()).await;
    let page = bench.store.runs(&home(), &RunFilter::default(), &Page::first(1)).await.expect("runs answers");
    assert_eq!((page.data[0].id, page.next), (second, Some(second)));
    bench.submit(a_run()).await;
    let next = Page { limit: 10, after: page.next };
    let page = bench.store.runs(&home(), &RunFilter::default(), &next).await.expect("runs answers");
    assert_eq!(page.data.iter().map(|run| run.id).collect::<Vec<_>>(), [first]);
}

pub(super) async fn runs_are_filtered_by_status(bench: Bench) {
    let succeeded = bench.succeeded(a_run()).await;
    let timed_out = bench.timed_out(a_run()).await;
    let cancelled = bench.cancelled(a_run()).await;
    let failed = bench.failed(a_run()).await;
    let running = bench.running().await.run.id;
    let retrying = bench.retrying(a_run()).await;
    let paused = bench.paused(a_run()).await;
    let pending = bench.submit(a_run().held()).await;
    let queued = bench.submit(a_run()).await;
    let runs = [pending, queued, running, retrying, paused, succeeded, failed, timed_out, cancelled];
    for (status, run) in Status::ALL.into_iter().zip(runs) {
        let filter = RunFilter { statuses: vec![status], ..RunFilter::default() };
        assert_eq!(bench.list(filter).await, [run], "{status}");
    }
    let filter = RunFilter { statuses: vec![Status::Succeeded, Status::Queued], ..RunFilter::default() };
    assert_eq!(bench.list(filter).await, [queued, succeeded]);
}

pub(super) async fn runs_are_filtered_by_task_queue_and_lane(bench: Bench) {
    let plain = bench.succeeded(a_run()).await;
    let over = bench.succeeded(a_run().task("t").queue("q").lane("l")).await;
    let live = bench.submit(a_run().task("t").queue("q").lane("l")).await;
    let task = RunFilter { task: Some(task("t")), ..RunFilter::default() };
    let queue = RunFilter { queue: Some(queue("q")), ..RunFilter::default() };
    let lane = RunFilter { lane: Some(lane("l")), ..RunFilter::default() };
    for filter in [task.clone(), queue, lane] {
        assert_eq!(bench.list(filter).await, [live, over]);
    }
    let other = RunFilter { task: Some(super::builders::task("work")), ..RunFilter::default() };
    assert_eq!(bench.list(other).await, [plain]);
    let both = RunFilter { statuses: vec![Status::Succeeded], ..task };
    assert_eq!(bench.list(both).await, [over]);
}

pub(super) async fn a_filtered_list_has_pages_too(bench: Bench) {
    let mut wanted = Vec::new();
    for _ in 0..3 {
        wanted.push(bench.succeeded(a_run().task("t")).await);
        bench.succeeded(a_run()).await;
        wanted.push(bench.submit(a_run().task("t").due_in(60)).await);
    }
    wanted.reverse();
    let filter = RunFilter { task: Some(task("t")), ..RunFilter::default() };
    let (mut seen, mut page) = (Vec::new(), Page::first(2));
    loop {
        let listed = bench.store.runs(&home(), &filter, &page).await.expect("runs answers");
        seen.extend(listed.data.iter().map(|run| run.id));
        let Some(next) = listed.next else { break };
        page.after = Some(next);
    }
    assert_eq!(seen, wanted);
}
