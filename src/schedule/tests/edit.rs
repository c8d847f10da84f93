//! What an edit makes of the head and of the slots that went by.

use jiff::Timestamp;

use super::stuff::{a_schedule, every_ten_minutes, minute};
use super::*;
use crate::run::{Json, Run, lifecycle};

/// A schedule at minute 0, with the run of its first slot.
fn with_head() -> (Schedule, Run) {
    let mut schedule = a_schedule(every_ten_minutes());
    let head = schedule.set_head(Some(minute(10)), minute(0)).expect("a head");
    (schedule, lifecycle::submit(&head, 1, false, minute(0)))
}

fn started(run: &Run, at: Timestamp) -> Run {
    Run { started_at: Some(at), ..run.clone() }
}

/// An edit that leaves everything as it is.
fn same(schedule: &Schedule) -> ScheduleEdit {
    let Schedule { version, spec, grant, .. } = schedule.clone();
    ScheduleEdit { version, spec, grant, enabled: schedule.disabled.is_none() }
}

fn with_payload(schedule: &Schedule) -> ScheduleEdit {
    let mut edit = same(schedule);
    edit.spec.payload = Json::parse("1").expect("JSON");
    edit
}

#[test]
fn a_new_name_keeps_the_waiting_run() {
    let (schedule, run) = with_head();
    let mut edit = same(&schedule);
    edit.spec.name = ScheduleName::parse("another").expect("a name");
    let edited = schedule.edited(&edit, Some(&run), minute(5)).expect("slots");
    assert_eq!((edited.schedule.head, edited.schedule.version), (schedule.head, schedule.version + 1));
    assert_eq!((edited.withdrawn, edited.new_head, edited.skips), (None, None, vec![]));
    assert_eq!(edited.schedule.since, schedule.since, "no slot is given up");
}

#[test]
fn other_work_gets_another_run_of_the_same_slot_even_if_that_is_late() {
    let (schedule, run) = with_head();
    let edited = schedule.edited(&with_payload(&schedule), Some(&run), minute(25)).expect("slots");
    let head = edited.new_head.expect("a head");
    assert_eq!(edited.schedule.head, Some(Head { run: head.id, slot: minute(10) }));
    assert_ne!(head.id, run.id);
    assert_eq!((edited.withdrawn, edited.skips), (Some(run), vec![]), "the slot is not lost");
}

#[test]
fn other_times_start_over_and_record_the_slot_that_is_lost() {
    let (schedule, run) = with_head();
    let mut edit = same(&schedule);
    edit.spec.timing = Timing::Once { at: minute(100) };
    let edited = schedule.edited(&edit, Some(&run), minute(25)).expect("slots");
    assert_eq!(edited.schedule.head.map(|head| head.slot), Some(minute(100)));
    assert_eq!(edited.schedule.since, minute(25));
    let skips: Vec<_> = edited.skips.iter().map(|skip| (skip.first, skip.last, skip.reason)).collect();
    assert_eq!(skips, [(minute(20), minute(20), SkipReason::Missed), (minute(10), minute(10), SkipReason::Withdrawn)]);
}

#[test]
fn a_paused_schedule_has_no_head_and_a_slot_that_was_not_due_is_not_lost() {
    let (schedule, run) = with_head();
    let edit = ScheduleEdit { enabled: false, ..same(&schedule) };
    let edited = schedule.edited(&edit, Some(&run), minute(5)).expect("nothing is asked for");
    assert_eq!((edited.schedule.head, edited.schedule.disabled), (None, Some(Disabled::paused())));
    assert_eq!((edited.withdrawn, edited.new_head, edited.skips), (Some(run), None, vec![]));
}

#[test]
fn a_run_under_way_stays_the_head_where_runs_may_not_overlap() {
    let (mut schedule, run) = with_head();
    let run = started(&run, minute(10));
    let edited = schedule.edited(&with_payload(&schedule), Some(&run), minute(25)).expect("slots");
    assert_eq!(edited.schedule.head, schedule.head);
    assert_eq!((edited.withdrawn, edited.new_head, edited.skips), (None, None, vec![]));

    schedule.spec.overlap = Overlap::Allow;
    let edited = schedule.edited(&with_payload(&schedule), Some(&run), minute(25)).expect("slots");
    assert_eq!(edited.schedule.head.map(|head| head.slot), Some(minute(30)), "the next one does not wait for it");
    assert_eq!(edited.withdrawn, None, "the run goes on");
    assert_eq!(edited.skips.iter().map(|skip| skip.first).collect::<Vec<_>>(), [minute(20)]);
}

#[test]
fn a_schedule_without_slots_to_come_can_be_paused_but_not_enabled() {
    let (schedule, run) = with_head();
    let mut edit = same(&schedule);
    edit.spec.timing = Timing::Once { at: minute(1) };
    assert_eq!(schedule.edited(&edit, Some(&run), minute(5)), None);
    edit.enabled = false;
    assert!(schedule.edited(&edit, Some(&run), minute(5)).is_some());
}

#[test]
fn a_resumed_schedule_begins_with_the_next_slot_to_come() {
    let (schedule, run) = with_head();
    let pause = ScheduleEdit { enabled: false, ..same(&schedule) };
    let paused = schedule.edited(&pause, Some(&run), minute(5)).expect("nothing is asked for").schedule;
    let resume = ScheduleEdit { enabled: true, ..same(&paused) };
    let resumed = paused.edited(&resume, None, minute(35)).expect("slots");
    assert_eq!(resumed.schedule.head.map(|head| head.slot), Some(minute(40)));
    assert_eq!(resumed.skips, [], "a paused schedule owes nothing");
}
