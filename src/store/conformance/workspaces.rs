//! Workspaces, and that none sees or touches what is another's.

use super::prelude::*;

pub(super) async fn the_default_workspace_is_there(bench: Bench) {
    assert_eq!(bench.store.workspaces().await.expect("workspaces answers"), [home()]);
    assert!(!bench.store.create_workspace(&home()).await.expect("create_workspace answers"));
}

pub(super) async fn a_workspace_is_made_once(bench: Bench) {
    let name = workspace("new");
    assert!(bench.store.create_workspace(&name).await.expect("create_workspace answers"));
    bench.submit(a_run().of("new")).await;
    let before = bench.everything().await;
    assert!(!bench.store.create_workspace(&name).await.expect("create_workspace answers"));
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn workspaces_are_listed_by_name(bench: Bench) {
    for name in ["b", "z", "a"] {
        bench.workspace(name).await;
    }
    let names = bench.store.workspaces().await.expect("workspaces answers");
    assert_eq!(names.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["a", "b", "default", "z"]);
}

pub(super) async fn a_run_is_found_in_its_own_workspace_only(bench: Bench) {
    let other = bench.workspace("other").await;
    let live = bench.submit(a_run().due_in(60)).await;
    let over = bench.succeeded(a_run()).await;
    for run in [live, over] {
        assert_eq!(bench.store.run(&other, run).await.expect("run answers"), None);
        assert_eq!(bench.store.attempts(&other, run).await.expect("attempts answers"), None);
        assert_eq!(bench.store.waits(&other, run).await.expect("waits answers"), None);
        assert_eq!(bench.store.events(&other, run, 0, 10).await.expect("events answers"), None);
    }
}

pub(super) async fn lists_show_their_own_workspace_only(bench: Bench) {
    let other = bench.workspace("other").await;
    bench.submit(a_run().lane("l").queue("q")).await;
    bench.lane_holds("m").await;
    bench.limit_queue("r", 1).await;
    assert_eq!(bench.runs_of(&other, RunFilter::default()).await, []);
    assert_eq!(bench.store.lanes(&other, None, &Page::first(10)).await.expect("lanes answers").data, []);
    assert_eq!(bench.store.queues(&other).await.expect("queues answers"), []);
}

pub(super) async fn a_foreign_run_cannot_be_commanded(bench: Bench) {
    let other = bench.workspace("other").await;
    bench.lane_holds("l").await;
    let running = bench.running().await.run.id;
    let pending = bench.submit(a_run().held()).await;
    let failed = bench.failed(a_run()).await;
    let paused = bench.paused(a_run().lane("l")).await;
    let before = bench.everything().await;
    for command in [Command::Cancel, Command::Pause, Command::Resume, Command::Enqueue, Command::Dismiss] {
        for run in [running, pending, failed, paused] {
            assert_eq!(bench.command_of(&other, run, command).await, CommandOutcome::NotFound);
        }
    }
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_foreign_run_cannot_be_run_again(bench: Bench) {
    let other = bench.workspace("other").await;
    let run = bench.submit(a_run()).await;
    let before = bench.everything().await;
    let outcome = bench.store.rerun(&other, run, RunId::new(), Admission::default()).await;
    assert_eq!(outcome.expect("rerun answers"), RerunOutcome::NotFound);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_foreign_lane_cannot_be_released(bench: Bench) {
    let other = bench.workspace("other").await;
    bench.lane_holds("l").await;
    bench.paused(a_run().lane("l")).await;
    let before = bench.everything().await;
    assert_eq!(bench.store.release_lane(&other, &lane("l")).await.expect("release_lane answers"), 0);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_workspace_that_is_not_there_has_no_settings(bench: Bench) {
    let nowhere = workspace("nowhere");
    let pause = QueueChange { paused: Some(true), concurrency: None };
    assert_eq!(bench.store.set_queue(&nowhere, &queue("q"), pause).await.expect("it answers"), None);
    let outcome = bench.store.set_lane_policy(&nowhere, &lane("l"), LanePolicy::Hold).await.expect("it answers");
    assert_eq!(outcome, crate::store::LanePolicyOutcome::UnknownWorkspace);
    bench.workspace("nowhere").await;
    assert_eq!(bench.store.queues(&nowhere).await.expect("it answers"), []);
    assert_eq!(bench.store.lanes(&nowhere, None, &Page::first(9)).await.expect("it answers").data, []);
}

pub(super) async fn a_foreign_policy_is_not_ones_own(bench: Bench) {
    bench.workspace("other").await;
    bench.store.set_lane_policy(&workspace("other"), &lane("l"), LanePolicy::Hold).await.expect("it answers");
    bench.failed(a_run().lane("l")).await;
    assert_eq!(bench.held_by("l").await, []);
    let next = bench.submit(a_run().lane("l")).await;
    assert!(bench.is_ready(next).await);
}
