//! Schedules: edits, deletions, and chains that move on.

use std::sync::Arc;

use futures::FutureExt;
use jiff::Timestamp;
use runlane::run::WorkspaceName;
use runlane::schedule::{Overlap, Schedule, ScheduleName};
use runlane::store::{EditScheduleOutcome, ScheduleEdit, Schedules, Store};

use super::{Guard, Scene, assert_each_counts, success};
use crate::schedules::support::{any_task, every, schedule, spec};

const ANY_VERSION: &str = "($2::bigint is not null)";
const ANY_PLACE: &str = "($3::uuid is null or true) and ($4::timestamptz is null or true)";
const PLACE: &str = "head_run is not distinct from $3 and last_slot is not distinct from $4";

const GUARDS: &[Guard] = &[
    Guard {
        name: "a chain that moves on, of a schedule that was just paused",
        without: &[("move_schedules", "schedule.version = new.seen_version\n    and ", "")],
        by_id: &[],
        pause: Some("lock_schedules"),
        race: |scene| paused_at_its_end(scene).boxed(),
    },
    Guard {
        name: "a chain that two repair",
        without: &[(
            "move_schedules",
            "\n    and schedule.head_run is not distinct from new.seen_head and schedule.last_slot is not distinct from new.seen_slot",
            "",
        )],
        by_id: &[],
        pause: Some("lock_schedules"),
        race: |scene| repaired_twice(scene).boxed(),
    },
    Guard {
        name: "an edit of what somebody else edited",
        without: &[("edit_schedule", "version = $2 and", "($2::bigint is not null) and")],
        by_id: &[],
        pause: Some("lock_schedules"),
        race: |scene| edited_twice(scene).boxed(),
    },
    Guard {
        name: "an edit of a schedule whose head moves on",
        without: &[("edit_schedule", PLACE, ANY_PLACE)],
        by_id: &[],
        pause: Some("lock_schedules"),
        race: |scene| edited_while_it_moves(scene).boxed(),
    },
    Guard {
        name: "an edit of a schedule whose head starts",
        without: &[("edit_schedule", "last_slot is not distinct from $4", "($4::timestamptz is null or true)")],
        by_id: &[],
        pause: Some("lock_schedules"),
        race: |scene| edited_while_it_starts(scene).boxed(),
    },
    Guard {
        name: "a deletion of a schedule that is resumed",
        without: &[("delete_schedule", "version = $2", ANY_VERSION), ("delete_schedule", PLACE, ANY_PLACE)],
        by_id: &[],
        pause: Some("lock_schedules"),
        race: |scene| deleted_while_it_is_resumed(scene).boxed(),
    },
];

#[tokio::test]
async fn the_guards_of_schedules_count() {
    assert_each_counts(GUARDS).await;
}

async fn a_schedule(scene: &Scene, overlap: Overlap) -> Schedule {
    let grant = any_task();
    scene.quick.create_grant(&grant).await.expect("a grant");
    schedule(&scene.quick, spec("work", every(3600, Timestamp::UNIX_EPOCH), overlap), grant.id).await
}

/// The run of the next slot may start.
async fn is_due(scene: &Scene) {
    scene.write("update runlane.runs set blocked_by = null where blocked_by = 'available_at'").await;
}

fn renamed(seen: &Schedule, name: &str) -> ScheduleEdit {
    let mut spec = seen.spec.clone();
    spec.name = ScheduleName::parse(name).expect("a name");
    ScheduleEdit { version: seen.version, spec, grant: seen.grant, enabled: true }
}

/// Edits by the slow store what it saw.
fn edits(scene: &Scene, seen: &Schedule) -> impl Future<Output = Option<EditScheduleOutcome>> + Send + 'static + use<> {
    let (slow, id, edit) = (Arc::clone(&scene.slow), seen.id, renamed(seen, "one"));
    async move { slow.edit_schedule(&WorkspaceName::default(), id, &edit, None).await.ok() }
}

async fn paused_at_its_end(scene: Arc<Scene>) -> bool {
    a_schedule(&scene, Overlap::Forbid).await;
    is_due(&scene).await;
    let lease = scene.claim().await[0].lease();
    let slow = Arc::clone(&scene.slow);
    let verb = async move { slow.finish(&[success(lease)]).await.is_ok() };
    let pause = "update runlane.schedules set version = version + 1, disabled_code = 'paused', disabled_message = 'it is paused'";
    scene.overtaken(verb, scene.write(pause)).await
        && scene.holds("select disabled_code = 'paused' and head_run is null from runlane.schedules").await
}

/// No slot has two runs.
async fn repaired_twice(scene: Arc<Scene>) -> bool {
    a_schedule(&scene, Overlap::Allow).await;
    scene.write("delete from runlane.runs").await;
    let slow = Arc::clone(&scene.slow);
    let verb = async move { slow.sweep_schedules(10).await.is_ok() };
    let rival = async {
        scene.quick.sweep_schedules(10).await.expect("repaired");
        is_due(&scene).await;
        let lease = scene.claim().await[0].lease();
        scene.quick.finish(&[success(lease)]).await.expect("finished");
    };
    scene.overtaken(verb, rival).await
        && scene.holds("select count(*) = count(distinct slot) and count(*) = 2 from runlane.all_runs").await
}

async fn edited_twice(scene: Arc<Scene>) -> bool {
    let seen = a_schedule(&scene, Overlap::Forbid).await;
    let rival = async {
        let edit = renamed(&seen, "two");
        scene.quick.edit_schedule(&WorkspaceName::default(), seen.id, &edit, None).await.expect("edited");
    };
    scene.overtaken(edits(&scene, &seen), rival).await == Some(EditScheduleOutcome::Outdated)
}

async fn edited_while_it_moves(scene: Arc<Scene>) -> bool {
    let seen = a_schedule(&scene, Overlap::Allow).await;
    is_due(&scene).await;
    let rival = async { assert_eq!(scene.claim().await.len(), 1) };
    let head = "select head_run = (select id from runlane.runs where status = 'queued') from runlane.schedules";
    scene.overtaken(edits(&scene, &seen), rival).await.is_some() && scene.holds(head).await
}

async fn edited_while_it_starts(scene: Arc<Scene>) -> bool {
    let seen = a_schedule(&scene, Overlap::Forbid).await;
    is_due(&scene).await;
    let rival = async { assert_eq!(scene.claim().await.len(), 1) };
    scene.overtaken(edits(&scene, &seen), rival).await.is_some()
        && scene.holds("select last_slot is not null from runlane.schedules").await
}

async fn deleted_while_it_is_resumed(scene: Arc<Scene>) -> bool {
    let seen = a_schedule(&scene, Overlap::Forbid).await;
    let edit = |version, enabled| ScheduleEdit { version, enabled, ..renamed(&seen, "one") };
    let home = WorkspaceName::default();
    let set = async |edit: ScheduleEdit| {
        scene.quick.edit_schedule(&home, seen.id, &edit, None).await.expect("edited");
    };
    set(edit(seen.version, false)).await;
    let (slow, id) = (Arc::clone(&scene.slow), seen.id);
    let verb = async move { slow.delete_schedule(&WorkspaceName::default(), id).await.is_ok() };
    let deleted = scene.overtaken(verb, set(edit(seen.version + 1, true))).await;
    deleted && scene.holds("not exists (select from runlane.runs) and not exists (select from runlane.schedules)").await
}
