//! A bounded queue: no more live runs than there is room for.

use super::prelude::*;

const CREATED: SubmitOutcome = SubmitOutcome::Created;
const FULL: SubmitOutcome = SubmitOutcome::QueueFull;

pub(super) async fn a_full_queue_refuses_and_stores_nothing(bench: Bench) {
    bench.submit(a_run()).await;
    let before = bench.everything().await;
    assert_eq!(bench.submit_into(room_for(1), [a_run()]).await, [FULL]);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_batch_fills_the_queue_and_no_more(bench: Bench) {
    bench.submit(a_run()).await;
    let outcomes = bench.submit_into(room_for(3), [a_run(), a_run(), a_run(), a_run()]).await;
    assert_eq!(outcomes, [CREATED, CREATED, FULL, FULL]);
    assert_eq!(bench.list(RunFilter::default()).await.len(), 3);
}

pub(super) async fn no_room_at_all_refuses_everything(bench: Bench) {
    assert_eq!(bench.submit_into(room_for(0), [a_run()]).await, [FULL]);
}

pub(super) async fn without_a_bound_nothing_is_refused(bench: Bench) {
    let outcomes = bench.submit_all((0..50).map(|_| a_run())).await;
    assert!(outcomes.iter().all(|outcome| *outcome == CREATED));
}

pub(super) async fn whatever_is_not_finished_takes_room(bench: Bench) {
    bench.running().await;
    bench.submit(a_run().held()).await;
    bench.paused(a_run()).await;
    bench.submit(a_run().due_in(60)).await;
    assert_eq!(bench.submit_into(room_for(4), [a_run()]).await, [FULL]);
    assert_eq!(bench.submit_into(room_for(5), [a_run()]).await, [CREATED]);
}

pub(super) async fn a_finished_run_makes_room(bench: Bench) {
    let claimed = bench.running().await;
    assert_eq!(bench.submit_into(room_for(1), [a_run()]).await, [FULL]);
    bench.succeed(&claimed).await;
    assert_eq!(bench.submit_into(room_for(1), [a_run(), a_run()]).await, [CREATED, FULL]);
}

pub(super) async fn a_retrying_run_keeps_its_room(bench: Bench) {
    bench.retrying(a_run()).await;
    assert_eq!(bench.submit_into(room_for(1), [a_run()]).await, [FULL]);
}

pub(super) async fn all_workspaces_share_the_room(bench: Bench) {
    bench.workspace("other").await;
    bench.submit(a_run().of("other")).await;
    assert_eq!(bench.submit_into(room_for(1), [a_run()]).await, [FULL]);
}

pub(super) async fn keeping_and_replacing_need_no_room(bench: Bench) {
    let id = bench.submit(a_run().key("k", KeyMode::Keep)).await;
    let (keep, replace) = (a_run().key("k", KeyMode::Keep), a_run().key("k", KeyMode::Replace));
    let outcomes = bench.submit_into(room_for(1), [keep, replace]).await;
    assert_eq!(outcomes, [SubmitOutcome::Kept(id), SubmitOutcome::Replaced(id)]);
}

pub(super) async fn a_started_run_keeps_its_key_when_there_is_no_room_for_another(bench: Bench) {
    bench.started(a_run().key("k", KeyMode::Keep)).await;
    let before = bench.everything().await;
    assert_eq!(bench.submit_into(room_for(1), [a_run().key("k", KeyMode::Replace)]).await, [FULL]);
    assert_eq!(bench.everything().await, before);
}

pub(super) async fn a_finished_run_comes_back_only_where_there_is_room(bench: Bench) {
    let failed = bench.failed(a_run()).await;
    bench.submit(a_run()).await;
    let before = bench.everything().await;
    let resume = async |room| bench.store.command(&home(), &[failed], Command::Resume, room).await;
    assert_eq!(resume(room_for(1)).await.expect("command answers"), [CommandOutcome::QueueFull]);
    assert_eq!(bench.everything().await, before);
    assert_eq!(resume(room_for(2)).await.expect("command answers"), [CommandOutcome::Resumed]);
}

pub(super) async fn coming_back_is_judged_run_by_run(bench: Bench) {
    let failed = [bench.failed(a_run()).await, bench.failed(a_run()).await];
    let outcomes = bench.store.command(&home(), &failed, Command::Resume, room_for(1)).await;
    let expected = [CommandOutcome::Resumed, CommandOutcome::QueueFull];
    assert_eq!(outcomes.expect("command answers"), expected);
}

pub(super) async fn a_paused_run_has_its_room_already(bench: Bench) {
    let paused = bench.paused(a_run()).await;
    let outcomes = bench.store.command(&home(), &[paused], Command::Resume, room_for(1)).await;
    assert_eq!(outcomes.expect("command answers"), [CommandOutcome::Resumed]);
}

pub(super) async fn a_rerun_needs_room(bench: Bench) {
    let old = bench.submit(a_run()).await;
    let before = bench.everything().await;
    let outcome = bench.store.rerun(&home(), old, RunId::new(), room_for(1)).await.expect("rerun answers");
    assert_eq!(outcome, RerunOutcome::Submitted(FULL));
    assert_eq!(bench.everything().await, before);
}
