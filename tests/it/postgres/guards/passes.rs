//! The passes: what is due, and leases that ran out.

use std::sync::Arc;

use futures::FutureExt;
use jiff::SignedDuration;
use runlane::run::{Due, NewRun};
use runlane::store::Store;

use super::{Guard, Scene, a_run, assert_each_counts};

const GUARDS: &[Guard] = &[
    Guard {
        name: "what was due and is put off",
        without: &[("promote", " and available_at <= coalesce($1, clock_timestamp())\nreturning", "\nreturning")],
        by_id: &[("promote", "ctid", "id")],
        pause: None,
        race: |scene| promoted(scene, "available_at = now() + interval '1 hour'", "available_at").boxed(),
    },
    Guard {
        name: "what was due and waits for a run now",
        without: &[("promote", "coalesce(blocked_by, '') = 'available_at' and ", "")],
        by_id: &[("promote", "ctid", "id")],
        pause: None,
        race: |scene| promoted(scene, "blocked_by = 'upstream'", "upstream").boxed(),
    },
    Guard {
        name: "a lease that ran out and is renewed",
        without: &[(
            "reap",
            "skip locked))\n    and lease_expires_at <= coalesce($1, clock_timestamp())",
            "skip locked))",
        )],
        by_id: &[("reap", "ctid", "id")],
        pause: None,
        race: |scene| reaped(scene).boxed(),
    },
];

#[tokio::test]
async fn the_guards_of_passes_count() {
    assert_each_counts(GUARDS).await;
}

async fn promoted(scene: Arc<Scene>, change: &str, blocked_by: &str) -> bool {
    let run = NewRun { due: Due::After(SignedDuration::from_hours(1)), ..a_run() };
    scene.submit(&run).await;
    scene.write("update runlane.runs set available_at = now() - interval '1 second'").await;
    let slow = Arc::clone(&scene.slow);
    let rival = format!("update runlane.runs set revision = revision + 1, {change}");
    let answered = scene.meets(&rival, async move { slow.promote(10).await.is_ok() }).await;
    answered && scene.of_run(run.id, "blocked_by").await.as_deref() == Some(blocked_by)
}

async fn reaped(scene: Arc<Scene>) -> bool {
    let run = a_run();
    scene.submit(&run).await;
    scene.claim().await;
    scene.write("update runlane.runs set lease_expires_at = now() - interval '1 second'").await;
    let slow = Arc::clone(&scene.slow);
    let rival = "update runlane.runs set revision = revision + 1, lease_expires_at = now() + interval '1 hour'";
    let answered = scene.meets(rival, async move { slow.reap(10).await.is_ok() }).await;
    answered && scene.of_run(run.id, "orphaned_at").await.as_deref() == Some("null")
}
