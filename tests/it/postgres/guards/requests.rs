//! Commands, and the ends of runs that others wait for.

use std::num::NonZeroU16;
use std::sync::Arc;

use futures::FutureExt;
use runlane::run::NewRun;
use runlane::run::lifecycle::Command;
use runlane::store::{Admission, Store};

use super::{Guard, Scene, WorkspaceName, a_run, assert_each_counts, failure, success};

const GUARDS: &[Guard] = &[
    Guard {
        name: "a pause decided before a claim",
        without: &[("update_runs", " and run.revision = new.revision - 1", "")],
        by_id: &[],
        pause: Some("lock_runs"),
        race: |scene| a_command_after_a_claim(scene, Command::Pause).boxed(),
    },
    Guard {
        name: "a cancel decided before a claim",
        without: &[("end_runs", " and run.revision = new.revision - 1", "")],
        by_id: &[],
        pause: Some("lock_runs"),
        race: |scene| a_command_after_a_claim(scene, Command::Cancel).boxed(),
    },
    Guard {
        name: "a resume decided before another one and another failure",
        without: &[("revive_runs", " and finished.revision = new.revision - 1", "")],
        by_id: &[],
        pause: Some("lock_finished"),
        race: |scene| a_late_resume(scene).boxed(),
    },
    Guard {
        name: "two upstream runs that end at once",
        without: &[("update_runs", " and run.revision = new.revision - 1", "")],
        by_id: &[],
        pause: Some("waiting"),
        race: |scene| two_upstreams(scene).boxed(),
    },
];

#[tokio::test]
async fn the_guards_of_commands_count() {
    assert_each_counts(GUARDS).await;
}

async fn a_command_after_a_claim(scene: Arc<Scene>, command: Command) -> bool {
    let run = a_run();
    scene.submit(&run).await;
    let (slow, id) = (Arc::clone(&scene.slow), run.id);
    let verb =
        async move { slow.command(&WorkspaceName::default(), &[id], command, Admission::default()).await.is_ok() };
    let answered = scene.overtaken(verb, async { assert_eq!(scene.claim().await.len(), 1) }).await;
    answered && scene.of_run(id, "status").await.as_deref() == Some("running")
}

/// Epochs never return. The run had not started, so no attempt of it is stored, whose key would be a second guard.
async fn a_late_resume(scene: Arc<Scene>) -> bool {
    let once = || NewRun { max_attempts: NonZeroU16::MIN, ..a_run() };
    let upstream = once();
    scene.submit(&upstream).await;
    let run = NewRun { after: vec![upstream.id], ..once() };
    scene.submit(&run).await;
    let fail = async || {
        let claimed = scene.claim().await;
        scene.quick.finish(&[failure(claimed[0].lease())]).await.expect("finished");
    };
    fail().await;
    let (slow, id) = (Arc::clone(&scene.slow), run.id);
    let verb = async move {
        slow.command(&WorkspaceName::default(), &[id], Command::Resume, Admission::default()).await.is_ok()
    };
    let rival = async {
        scene.command(id, Command::Resume).await;
        fail().await;
    };
    let answered = scene.overtaken(verb, rival).await;
    answered && scene.of_run(id, "epoch").await.as_deref() == Some("1")
}

async fn two_upstreams(scene: Arc<Scene>) -> bool {
    let (first, second) = (a_run(), a_run());
    scene.submit(&first).await;
    scene.submit(&second).await;
    let waiting = NewRun { after: vec![first.id, second.id], ..a_run() };
    scene.submit(&waiting).await;
    let claimed = scene.claim().await;
    let lease = |id| claimed.iter().find(|claimed| claimed.run.id == id).expect("claimed").lease();
    let (slow, finish) = (Arc::clone(&scene.slow), success(lease(first.id)));
    let verb = async move { slow.finish(&[finish]).await.is_ok() };
    let rival = async {
        scene.quick.finish(&[success(lease(second.id))]).await.expect("finished");
    };
    let answered = scene.overtaken(verb, rival).await;
    answered && scene.of_run(waiting.id, "blocked_by").await.as_deref() == Some("null")
}
