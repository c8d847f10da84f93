//! What the run itself waits for, or how it ended.

use std::num::NonZeroU32;

use jiff::SignedDuration;
use runlane::actions::explain_run;
use runlane::run::lifecycle::{Command, Retry};
use runlane::run::{Due, RunId, StartBy, WorkspaceName};

use super::{Scene, said};

#[tokio::test]
async fn a_held_run_waits_to_be_enqueued() {
    let scene = Scene::new().await;
    let id = scene.submit(|run| run.hold = true).await;
    assert_eq!(scene.reasons(id, &[]).await, said("held", "it was submitted on hold", "enqueue it"));
}

#[tokio::test]
async fn a_paused_run_waits_to_be_resumed() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    scene.command(id, Command::Pause).await;
    assert_eq!(scene.reasons(id, &[]).await, said("paused", "it is paused", "resume it, or cancel it"));
}

#[tokio::test]
async fn a_run_that_is_due_later_says_when() {
    let scene = Scene::new().await;
    let id = scene.submit(|run| run.due = Due::After(SignedDuration::from_mins(5))).await;
    let expected = said("due_later", "it is due at 12:05 UTC", "starts at 12:05 UTC, in 5 min");
    assert_eq!(scene.reasons(id, &[]).await, expected);
    let tomorrow = scene.submit(|run| run.due = Due::After(SignedDuration::from_hours(20))).await;
    let remedy = "starts at 2026-11-17 08:00 UTC, in 20 h";
    assert_eq!(scene.reasons(tomorrow, &[]).await, said("due_later", "it is due at 2026-11-17 08:00 UTC", remedy));
}

#[tokio::test]
async fn a_retrying_run_says_what_failed_and_when_it_is_tried_again() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::After(SignedDuration::from_secs(90))).await;
    let message = "attempt 1 failed (boom: it broke); the next one is due at 12:01:30 UTC";
    let remedy = "starts at 12:01:30 UTC, in 90 s";
    assert_eq!(scene.reasons(id, &[]).await, said("retry_wait", message, remedy));
}

#[tokio::test]
async fn a_postponed_run_says_that_its_work_asked_for_it_and_how_often() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::Later(Some(SignedDuration::from_secs(90)))).await;
    let message = "its work asked to be tried later (boom: it broke); that was 1 of 100 times";
    let remedy = "starts at 12:01:30 UTC, in 90 s";
    assert_eq!(scene.reasons(id, &[]).await, said("postponed", message, remedy));
}

#[tokio::test]
async fn a_run_that_waits_for_others_names_each() {
    let scene = Scene::new().await;
    let (first, second) = (scene.submit(|_| {}).await, scene.submit(|run| run.hold = true).await);
    let id = scene.submit(|run| run.after = vec![first, second]).await;
    let names = [(first, "A"), (second, "B")];
    let mut expected = said(
        "upstream",
        "it waits for run A, which is queued",
        "it starts once run A has succeeded; if that ends otherwise, this run fails",
    );
    expected.extend(said(
        "upstream",
        "it waits for run B, which is pending",
        "it starts once run B has succeeded; if that ends otherwise, this run fails",
    ));
    assert_eq!(scene.reasons(id, &names).await, expected);
    assert!(scene.explain(id).await.summary.ends_with(", and 1 more"));
}

#[tokio::test]
async fn a_finished_run_says_how_it_ended_and_an_unknown_one_nothing() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::Never).await;
    scene.clock.advance(SignedDuration::from_secs(5));
    assert_eq!(scene.explain(id).await.summary, "it failed 5 s ago: it broke (boom)");
    let unknown = explain_run(&scene.store, &WorkspaceName::default(), RunId::new(), scene.clock.now()).await;
    assert_eq!(unknown.expect("a read"), None);
}

#[tokio::test]
async fn a_run_with_a_start_deadline_says_when_it_is_given_up() {
    let scene = Scene::new().await;
    let id = scene.submit(|run| run.start_by = NonZeroU32::new(180).map(StartBy::Within)).await;
    let unless = "; it is cancelled unless it begins by 12:03 UTC, in 3 min";
    assert!(scene.explain(id).await.summary.ends_with(unless), "{}", scene.explain(id).await.summary);
    scene.clock.advance(SignedDuration::from_mins(3));
    let passed = "; its start deadline has passed, so it is about to be cancelled";
    assert!(scene.explain(id).await.summary.ends_with(passed), "{}", scene.explain(id).await.summary);
    let held = scene.submit(|run| (run.hold, run.start_by) = (true, NonZeroU32::new(180).map(StartBy::Within))).await;
    let codes: Vec<String> = scene.explain(held).await.reasons.into_iter().map(|reason| reason.code).collect();
    assert_eq!(codes, ["held", "start_deadline"], "beside what it waits for");
}
