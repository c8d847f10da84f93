//! Names of schedules: each is given once in a workspace.

use super::prelude::*;
use super::schedule_grants::{a_schedule, schedule_name};
use crate::store::{CreateScheduleOutcome, EditScheduleOutcome, ScheduleEdit};

/// So many ask for a name at once.
const RIVALS: usize = 8;

pub(super) async fn a_schedule_is_found_by_its_name(bench: Bench) {
    let other = bench.workspace("other").await;
    for name in ["nightly report", "a/b \"c\" \\ d%", "täglich"] {
        let schedule = bench.schedule(a_schedule().every(60).named(name)).await;
        let found = bench.store.schedule_named(&home(), &schedule_name(name)).await.expect("answers");
        assert_eq!(found, Some(schedule));
        assert_eq!(bench.store.schedule_named(&other, &schedule_name(name)).await.expect("answers"), None);
    }
    assert_eq!(bench.store.schedule_named(&home(), &schedule_name("Nightly report")).await.expect("answers"), None);
}

pub(super) async fn a_name_is_given_once_in_a_workspace(bench: Bench) {
    bench.workspace("other").await;
    let first = bench.schedule(a_schedule().every(60).named("nightly")).await;
    let grants = bench.store.grants(&home(), &Page::first(10)).await.expect("answers").data.len();
    let second = bench.try_schedule(a_schedule().every(60).named("nightly")).await;
    assert_eq!(second, CreateScheduleOutcome::NameTaken(first.id, first.spec.name.clone()));
    let now = bench.store.grants(&home(), &Page::first(10)).await.expect("answers").data.len();
    assert_eq!(now, grants, "no grant is left behind by a schedule that is not made");
    bench.schedule(a_schedule().every(60).named("nightly").of("other")).await;
}

pub(super) async fn of_several_that_ask_for_a_name_at_once_one_gets_it(bench: Bench) {
    let asked = (0..RIVALS).map(|_| bench.try_schedule(a_schedule().every(60).named("nightly")));
    let outcomes = futures::future::join_all(asked).await;
    let found = bench.store.schedule_named(&home(), &schedule_name("nightly")).await.expect("answers");
    let found = found.expect("one was made");
    for outcome in &outcomes {
        match outcome {
            CreateScheduleOutcome::Created(made) => assert_eq!(made.id, found.id),
            other => assert_eq!(*other, CreateScheduleOutcome::NameTaken(found.id, found.spec.name.clone())),
        }
    }
    let made = outcomes.iter().filter(|outcome| matches!(outcome, CreateScheduleOutcome::Created(_))).count();
    assert_eq!(made, 1, "{outcomes:?}");
}

pub(super) async fn a_schedule_cannot_take_the_name_of_another(bench: Bench) {
    let first = bench.schedule(a_schedule().every(60).named("first")).await;
    let second = bench.schedule(a_schedule().every(60).named("second")).await;
    let spec = crate::schedule::ScheduleSpec { name: first.spec.name.clone(), ..second.spec.clone() };
    let edit = ScheduleEdit { version: 1, spec, grant: second.grant, enabled: true };
    let outcome = bench.store.edit_schedule(&home(), second.id, &edit, None).await.expect("answers");
    assert_eq!(outcome, EditScheduleOutcome::NameTaken(first.id, first.spec.name.clone()));
    assert_eq!(bench.see(&second).await, second);
}

pub(super) async fn the_name_of_a_deleted_schedule_is_free(bench: Bench) {
    let first = bench.schedule(a_schedule().every(60).named("nightly")).await;
    assert!(bench.store.delete_schedule(&home(), first.id).await.expect("answers"));
    assert_eq!(bench.store.schedule_named(&home(), &schedule_name("nightly")).await.expect("answers"), None);
    let second = bench.schedule(a_schedule().every(60).named("nightly")).await;
    assert_ne!(second.id, first.id);
}
