//! What follows a head that started, ended or is gone, and what may start.

use std::num::NonZeroU32;

use super::stuff::{a_schedule, every_ten_minutes, minute};
use super::*;
use crate::run::{Ending, GrantId, Run, RunError, State, lifecycle};

fn with_head() -> (Schedule, Run) {
    let mut schedule = a_schedule(every_ten_minutes());
    let head = schedule.set_head(Some(minute(10)), minute(0)).expect("a head");
    (schedule, lifecycle::submit(&head, 1, false, minute(0)))
}

fn a_grant(schedule: &Schedule) -> Grant {
    let request = NewGrant {
        id: schedule.grant,
        workspace: schedule.workspace.clone(),
        user: UserName::parse("ada").expect("a name"),
        billing_account: BillingAccount::parse("acme").expect("a name"),
        scopes: Scopes::only(&schedule.spec.task),
        expires_at: None,
    };
    Grant::new(&request, minute(0))
}

#[test]
fn a_new_schedule_has_the_run_of_its_first_slot_unless_it_is_paused_or_has_none() {
    let Schedule { id, workspace, spec, grant, .. } = a_schedule(every_ten_minutes());
    let request = NewSchedule { id, workspace, spec, grant, enabled: true };
    let (schedule, head) = Schedule::create(&request, minute(5)).expect("a slot");
    assert_eq!(schedule.head, head.map(|head| Head { run: head.id, slot: minute(10) }));

    let mut without = request.clone();
    without.spec.timing = Timing::Once { at: minute(1) };
    assert_eq!(Schedule::create(&without, minute(5)), None);
    let (schedule, head) =
        Schedule::create(&NewSchedule { enabled: false, ..without }, minute(5)).expect("no slot asked for");
    assert_eq!((schedule.head, head, schedule.disabled), (None, None, Some(Disabled::paused())));
}

#[test]
fn the_next_slot_follows_and_slots_that_went_by_are_recorded() {
    let (mut schedule, run) = with_head();
    let run = Run { started_at: Some(minute(11)), ..run };
    let next = schedule.schedule_next_slot(minute(10), &run, minute(35));
    let head = next.new_head.expect("a head");
    assert_eq!(schedule.head, Some(Head { run: head.id, slot: minute(40) }));
    let skips: Vec<_> = next.skips.iter().map(|skip| (skip.first, skip.last, skip.reason)).collect();
    assert_eq!(skips, [(minute(20), minute(30), SkipReason::Overlap)]);
}

#[test]
fn after_its_last_slot_a_schedule_is_completed() {
    let (mut schedule, run) = with_head();
    schedule.spec.timing = Timing::Once { at: minute(10) };
    assert_eq!(schedule.schedule_next_slot(minute(10), &run, minute(11)), Successor::default());
    assert_eq!((schedule.head, schedule.disabled), (None, Some(Disabled::completed())));
}

#[test]
fn a_run_that_its_grant_refused_disables_the_schedule() {
    let (mut schedule, run) = with_head();
    let refused = Run { error: Some(RunError::new("grant_expired", "over")), ..run };
    assert_eq!(schedule.clone().schedule_next_slot(minute(10), &refused, minute(11)), Successor::default());
    schedule.grant = GrantId::new();
    let next = schedule.schedule_next_slot(minute(10), &refused, minute(11));
    assert!(next.new_head.is_some(), "what an earlier grant refused says nothing of this one");
}

#[test]
fn a_disabled_schedule_gets_no_other_head() {
    let (mut schedule, run) = with_head();
    schedule.disabled = Some(Disabled::paused());
    assert_eq!(schedule.schedule_next_slot(minute(10), &run, minute(11)), Successor::default());
    assert_eq!((schedule.head, schedule.disabled), (None, Some(Disabled::paused())));
}

#[test]
fn a_head_that_is_gone_is_replaced_by_its_slot_unless_that_had_its_run() {
    let (mut schedule, _) = with_head();
    schedule.spec.catch_up_limit = 10;
    let next = schedule.clone().repair(minute(15));
    assert_eq!(next.new_head.map(|head| head.due), Some(crate::run::Due::At(minute(10))));
    schedule.note_slot(minute(10));
    let next = schedule.clone().repair(minute(15));
    assert_eq!(next.new_head.map(|head| head.due), Some(crate::run::Due::At(minute(20))));
    schedule.head = None;
    assert!(schedule.repair(minute(15)).new_head.is_some());
}

#[test]
fn a_run_is_done_for_its_schedule_when_it_ended_or_was_paused_after_its_start() {
    let (_, run) = with_head();
    let paused = Run { state: State::Paused, ..run.clone() };
    assert!(!is_done(&run) && !is_done(&paused));
    assert!(is_done(&Run { started_at: Some(minute(10)), ..paused }));
    assert!(is_done(&Run { state: State::Finished { ending: Ending::Succeeded, at: minute(11), by: None }, ..run }));
}

#[test]
fn a_run_starts_only_under_a_good_grant() {
    let (schedule, run) = with_head();
    let mut grant = a_grant(&schedule);
    let code = |refusal: Option<RunError>| refusal.map(|error| error.code);
    assert_eq!(start_refusal(&run, Some(&grant), minute(1_000)), None);
    assert_eq!(code(start_refusal(&run, None, minute(10))).as_deref(), Some("grant_revoked"));
    grant.revoked_at = Some(minute(11));
    assert_eq!(code(start_refusal(&run, Some(&grant), minute(12))).as_deref(), Some("grant_revoked"));
}

#[test]
fn a_run_of_a_slot_has_to_begin_as_soon_as_the_schedule_says() {
    let (mut schedule, _) = with_head();
    assert_eq!(schedule.run_of_slot(minute(10), minute(5)).start_by, None);
    schedule.spec.start_within_seconds = NonZeroU32::new(60);
    let run = lifecycle::submit(&schedule.run_of_slot(minute(10), minute(5)), 1, false, minute(5));
    assert_eq!((run.available_at, run.start_by), (minute(10), Some(minute(11))));
    assert!(schedule.is_too_late(minute(10), minute(11)) && !schedule.is_too_late(minute(10), minute(10)));
}
