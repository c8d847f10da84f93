//! The chains of schedules: each slot's run is brought by the one before it, whatever became of that.

use super::prelude::*;
use super::schedule_grants::a_schedule;
use crate::run::KeyMode;
use crate::schedule::{Overlap, SkipReason, Timing};
use crate::store::{CreateScheduleOutcome, EditScheduleOutcome};

pub(super) async fn a_new_schedule_has_the_run_of_its_first_slot_waiting(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let run = bench.waiting_run(&schedule).await;
    assert_eq!((run.available_at, run.blocked_by()), (bench.ahead(60), Some(BlockedBy::AvailableAt)));
    assert_eq!(run.scheduled.and_then(|scheduled| scheduled.slot), Some(bench.ahead(60)));
    assert_eq!(run.key.as_ref().map(ToString::to_string), Some(format!("{}:{}", schedule.id, bench.ahead(60))));
    assert_eq!(run.lane.as_ref().map(ToString::to_string), Some(format!("schedule:{}", schedule.id)));
    assert_eq!((run.task, run.payload), (schedule.spec.task.clone(), schedule.spec.payload.clone()));
}

pub(super) async fn where_overlap_is_forbidden_the_end_of_a_run_brings_the_next(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let first = bench.start_slot(60).await;
    assert_eq!(bench.runs_of_schedule(&schedule).await.len(), 1, "nothing follows as long as it runs");
    bench.wait(10);
    bench.succeed(&first).await;
    let next = bench.waiting_run(&schedule).await;
    assert_eq!(next.available_at, bench.ahead(50));
    assert_eq!(bench.see(&schedule).await.last_slot, first.run.scheduled.and_then(|s| s.slot));
}

pub(super) async fn whatever_ends_a_run_brings_the_next(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60).attempts(1)).await;
    let failed = bench.start_slot(60).await;
    bench.fail_for_good(&failed).await;
    bench.waiting_run(&schedule).await;
    let lost = bench.start_slot(60).await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    assert_eq!((adopted.run.id, adopted.adopted), (lost.run.id, true));
    assert_eq!(bench.finish(adopted.lease(), Outcome::Lost).await, FinishOutcome::Accepted(Status::Failed));
    bench.waiting_run(&schedule).await;
    let stopped = bench.start_slot(60).await;
    assert_eq!(bench.cancel(stopped.run.id).await, CommandOutcome::CancelRequested);
    assert_eq!(bench.finish(stopped.lease(), Outcome::Cancelled).await, FinishOutcome::Accepted(Status::Cancelled));
    let waiting = bench.waiting_run(&schedule).await;
    assert_eq!(bench.cancel(waiting.id).await, CommandOutcome::Cancelled);
    let after = bench.waiting_run(&schedule).await;
    assert!(after.available_at > waiting.available_at, "the cancelled slot is over");
}

pub(super) async fn an_attempt_past_its_time_brings_the_next_when_it_is_ended(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60).attempts(1).timeout(5)).await;
    bench.start_slot(60).await;
    bench.wait(6);
    assert_eq!(bench.expire().await.len(), 1);
    bench.waiting_run(&schedule).await;
}

pub(super) async fn a_run_that_is_paused_does_not_hold_its_schedule_up(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60).attempts(1)).await;
    let interrupted = bench.start_slot(60).await;
    let outcome = bench.release(interrupted.lease(), Release::ToQueue).await;
    assert_eq!(outcome, FinishOutcome::Accepted(Status::Paused), "it may start at most once");
    let next = bench.start_slot(60).await;
    assert_ne!(next.run.id, interrupted.run.id);
    assert_eq!(bench.resume(interrupted.run.id).await, CommandOutcome::Resumed);
    bench.nothing_to_claim().await;
    bench.succeed(&next).await;
    assert_eq!(bench.claim_one(&a_worker()).await.run.id, interrupted.run.id, "one after the other");
    assert_eq!(bench.waiting_runs(&schedule).await.len(), 1);
}

pub(super) async fn who_knows_its_key_cannot_replace_a_slots_run(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let waiting = bench.waiting_run(&schedule).await;
    let key = waiting.key.as_ref().expect("a key").to_string();
    let intruder = bench.submit(a_run().task("other").key(&key, KeyMode::Replace).held()).await;
    let still = bench.waiting_run(&schedule).await;
    assert_eq!((still.id, still.task, still.key), (waiting.id, waiting.task, None));
    assert_eq!(bench.run(intruder).await.scheduled, None);
    assert_eq!(bench.start_slot(60).await.run.id, waiting.id);
}

pub(super) async fn an_interrupted_run_is_not_late(bench: Bench) {
    bench.schedule(a_schedule().every(60).deadline(10)).await;
    let claimed = bench.start_slot(60).await;
    bench.wait(25);
    assert_eq!(bench.release(claimed.lease(), Release::ToQueue).await, FinishOutcome::Accepted(Status::Queued));
    assert_eq!(bench.claim_one(&a_worker()).await.run.id, claimed.run.id);
}

pub(super) async fn a_new_name_leaves_the_waiting_run_alone(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let waiting = bench.waiting_run(&schedule).await;
    let mut spec = schedule.spec.clone();
    spec.name = crate::schedule::ScheduleName::parse("another name").expect("a name");
    let renamed = bench.edit(&schedule, spec.clone()).await;
    assert_eq!((renamed.version, bench.waiting_run(&schedule).await.id), (2, waiting.id));
    assert_eq!(bench.edit(&renamed, spec).await.version, 2, "nothing was asked for");
}

pub(super) async fn a_retry_is_no_end(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let first = bench.start_slot(60).await;
    assert_eq!(bench.fail(&first).await, FinishOutcome::Accepted(Status::Retrying));
    assert_eq!(bench.runs_of_schedule(&schedule).await.len(), 1);
}

pub(super) async fn where_overlap_is_allowed_the_start_of_a_run_brings_the_next(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(20).overlap(Overlap::Allow)).await;
    let first = bench.start_slot(20).await;
    assert_eq!(bench.waiting_run(&schedule).await.available_at, bench.ahead(20));
    let second = bench.start_slot(20).await;
    assert_ne!(first.run.id, second.run.id);
    assert_eq!((first.run.lane.clone(), bench.status(first.run.id).await), (None, Status::Running));
    bench.succeed(&first).await;
    assert_eq!(bench.waiting_runs(&schedule).await.len(), 1, "its end brings nothing more");
}

pub(super) async fn where_a_run_is_replaced_the_old_one_stops_before_the_new_one_starts(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60).overlap(Overlap::Replace)).await;
    let old = bench.start_slot(60).await;
    bench.wait(25);
    assert_eq!(bench.renew(old.lease()).await, Renewal::Renewed { stop: None });
    bench.wait(25);
    assert_eq!(bench.renew(old.lease()).await, Renewal::Renewed { stop: None });
    bench.wait(10);
    assert_eq!(bench.promote().await, 1);
    assert_eq!(bench.renew(old.lease()).await, Renewal::Renewed { stop: Some(Stop::Cancel) });
    bench.nothing_to_claim().await;
    assert_eq!(bench.finish(old.lease(), Outcome::Cancelled).await, FinishOutcome::Accepted(Status::Cancelled));
    let new = bench.claim_one(&a_worker()).await;
    assert_eq!(new.run.scheduled.and_then(|scheduled| scheduled.slot), Some(bench.now()));
    assert_eq!(bench.waiting_run(&schedule).await.available_at, bench.ahead(60));
}

pub(super) async fn slots_that_go_by_under_a_run_are_skipped_and_recorded(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let long = bench.start_slot(60).await;
    let began = bench.now();
    for _ in 0..8 {
        bench.wait(25);
        assert_eq!(bench.renew(long.lease()).await, Renewal::Renewed { stop: None });
    }
    bench.succeed(&long).await;
    assert_eq!(bench.waiting_run(&schedule).await.available_at, began + seconds(240));
    let skips = bench.skips_of(&schedule).await;
    let [skip] = &skips[..] else { panic!("one record: {skips:?}") };
    assert_eq!((skip.first, skip.last, skip.count), (began + seconds(60), began + seconds(180), 3));
    assert_eq!(skip.reason, SkipReason::Overlap);
}

pub(super) async fn slots_that_nobody_could_start_are_skipped_and_recorded(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let start = bench.now();
    bench.wait(250);
    bench.promote().await;
    let late = bench.claim_one(&a_worker()).await;
    assert_eq!(
        late.run.scheduled.and_then(|scheduled| scheduled.slot),
        Some(start + seconds(60)),
        "late, but not lost"
    );
    bench.succeed(&late).await;
    let skips = bench.skips_of(&schedule).await;
    let [skip] = &skips[..] else { panic!("one record: {skips:?}") };
    assert_eq!((skip.first, skip.last, skip.reason), (start + seconds(120), start + seconds(240), SkipReason::Missed));
    assert_eq!(bench.waiting_run(&schedule).await.available_at, start + seconds(300));
}

pub(super) async fn missed_slots_are_made_up_for_as_far_as_was_asked(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60).catch_up(2)).await;
    let start = bench.now();
    bench.wait(310);
    bench.promote().await;
    let mut slots = Vec::new();
    while let Some(claimed) = bench.claim_all().await.pop() {
        slots.push(claimed.run.scheduled.and_then(|s| s.slot).expect("a slot").duration_since(start).as_secs());
        bench.succeed(&claimed).await;
    }
    assert_eq!(slots, [60, 240, 300]);
    let skips = bench.skips_of(&schedule).await;
    assert_eq!((skips.len(), skips[0].first, skips[0].last), (1, start + seconds(120), start + seconds(180)));
    assert_eq!(bench.waiting_run(&schedule).await.available_at, start + seconds(360));
}

pub(super) async fn a_run_that_would_start_too_late_does_not_start(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60).deadline(10)).await;
    bench.wait(71);
    bench.promote().await;
    bench.nothing_to_claim().await;
    let runs = bench.runs_of_schedule(&schedule).await;
    let over = runs.iter().find(|run| run.status() == Status::Cancelled).expect("a cancelled run");
    assert_eq!(over.error.as_ref().map(|error| error.code.as_str()), Some("start_deadline_passed"));
    bench.start_slot(49).await;
}

pub(super) async fn a_schedule_without_more_slots_is_completed(bench: Bench) {
    let once = Timing::Once { at: bench.ahead(30) };
    let schedule = bench.schedule(a_schedule().timing(once.clone())).await;
    let run = bench.start_slot(30).await;
    bench.succeed(&run).await;
    let seen = bench.see(&schedule).await;
    assert_eq!(seen.disabled.map(|reason| reason.code).as_deref(), Some("completed"));
    assert_eq!(bench.try_schedule(a_schedule().timing(once)).await, CreateScheduleOutcome::NoSlots);
}

pub(super) async fn a_paused_schedule_has_no_waiting_run(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let paused = bench.set_enabled(&schedule, false).await;
    assert_eq!(paused.disabled.clone().map(|reason| reason.code).as_deref(), Some("paused"));
    assert_eq!(bench.runs_of_schedule(&schedule).await, []);
    bench.wait(600);
    assert_eq!(bench.promote().await, 0);
    let resumed = bench.set_enabled(&paused, true).await;
    assert_eq!((resumed.disabled.clone(), resumed.version), (None, 3));
    assert_eq!(bench.waiting_run(&schedule).await.available_at, bench.ahead(60));
    assert_eq!(bench.skips_of(&schedule).await, [], "nothing was due while it was paused");
}

pub(super) async fn pausing_leaves_a_run_that_has_started_alone(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let running = bench.start_slot(60).await;
    let paused = bench.set_enabled(&bench.see(&schedule).await, false).await;
    let resumed = bench.set_enabled(&paused, true).await;
    assert_eq!(bench.runs_of_schedule(&schedule).await.len(), 1, "what runs will bring the next");
    let paused = bench.set_enabled(&resumed, false).await;
    bench.succeed(&running).await;
    assert_eq!(bench.waiting_runs(&schedule).await, []);
    bench.set_enabled(&paused, true).await;
    bench.waiting_run(&schedule).await;
}

pub(super) async fn slots_of_a_pause_are_nobodys(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(20).catch_up(10)).await;
    let began = bench.now();
    let long = bench.start_slot(20).await;
    bench.wait(25);
    bench.renew(long.lease()).await;
    let paused = bench.set_enabled(&bench.see(&schedule).await, false).await;
    bench.wait(25);
    bench.renew(long.lease()).await;
    bench.set_enabled(&paused, true).await;
    bench.wait(25);
    bench.succeed(&long).await;
    let skips = bench.skips_of(&schedule).await;
    assert_eq!(skips.iter().map(|skip| (skip.first, skip.count)).collect::<Vec<_>>(), [(began + seconds(40), 1)]);
    assert_eq!(bench.waiting_run(&schedule).await.available_at, began + seconds(80), "60 lay in the pause, 80 is owed");
}

pub(super) async fn what_had_gone_by_before_an_edit_is_recorded(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let began = bench.now();
    bench.wait(250);
    let mut spec = schedule.spec.clone();
    spec.timing = Timing::Once { at: bench.ahead(5) };
    bench.edit(&schedule, spec).await;
    let mut seen: Vec<_> =
        bench.skips_of(&schedule).await.iter().map(|skip| (skip.first, skip.count, skip.reason)).collect();
    seen.sort_by_key(|(first, ..)| *first);
    let expected = [(began + seconds(60), 1, SkipReason::Withdrawn), (began + seconds(120), 3, SkipReason::Missed)];
    assert_eq!(seen, expected);
}

pub(super) async fn a_slot_that_was_due_when_it_was_withdrawn_is_recorded(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    bench.wait(65);
    bench.promote().await;
    bench.set_enabled(&schedule, false).await;
    bench.nothing_to_claim().await;
    let skips = bench.skips_of(&schedule).await;
    assert_eq!((skips.len(), skips[0].reason), (1, SkipReason::Withdrawn));
}

pub(super) async fn an_edit_replaces_the_waiting_run(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let old = bench.waiting_run(&schedule).await;
    let mut spec = schedule.spec.clone();
    spec.payload = json(r#"{"n":2}"#);
    let edited = bench.edit(&schedule, spec).await;
    let new = bench.waiting_run(&schedule).await;
    assert_eq!((new.payload.as_str(), new.available_at), (r#"{"n":2}"#, old.available_at));
    assert_eq!(bench.find(old.id).await, None);
    let mut spec = edited.spec.clone();
    spec.timing = Timing::Once { at: bench.ahead(5) };
    bench.edit(&edited, spec).await;
    assert_eq!(bench.waiting_run(&schedule).await.available_at, bench.ahead(5));
}

pub(super) async fn a_slot_that_was_cancelled_gets_no_other_run(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let first = bench.waiting_run(&schedule).await;
    assert_eq!(bench.cancel(first.id).await, CommandOutcome::Cancelled);
    let mut spec = schedule.spec.clone();
    spec.timing = Timing::Every { seconds: std::num::NonZeroU32::MIN.saturating_add(29), from: START };
    bench.edit(&bench.see(&schedule).await, spec).await;
    assert_eq!(bench.waiting_run(&schedule).await.available_at, bench.ahead(90));
}

pub(super) async fn an_edit_of_what_somebody_else_has_edited_is_refused(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    bench.set_enabled(&schedule, false).await;
    assert_eq!(bench.try_set_enabled(&schedule, true).await, EditScheduleOutcome::Outdated);
}

pub(super) async fn a_deleted_schedule_leaves_only_what_has_started(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    assert!(bench.delete(&schedule).await);
    assert_eq!(bench.runs_of_schedule(&schedule).await, []);
    assert!(!bench.delete(&schedule).await);
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let running = bench.start_slot(60).await;
    assert!(bench.delete(&schedule).await);
    bench.succeed(&running).await;
    assert_eq!(bench.runs_of_schedule(&schedule).await.len(), 1, "nothing follows it");
}

pub(super) async fn a_schedule_deleted_with_its_slot_due_leaves_no_record(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    bench.wait(60);
    assert!(bench.delete(&schedule).await);
    bench.wait(24 * 3600);
    let now = seconds(0);
    let retention = Retention { finished: now, workers: now, audit: now, usage: now };
    assert_eq!(bench.store.prune(&retention, 9).await.expect("prune answers"), Pruned::default());
}

pub(super) async fn who_waits_for_a_run_that_is_withdrawn_hears_of_it(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let waiting = bench.waiting_run(&schedule).await;
    let after = bench.submit(a_run().after(&[waiting.id])).await;
    bench.delete(&schedule).await;
    assert_eq!(bench.status(after).await, Status::Failed);
}

pub(super) async fn a_key_that_somebody_else_took_does_not_break_the_chain(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let running = bench.start_slot(60).await;
    let key = format!("{}:{}", schedule.id, bench.ahead(60));
    bench.submit(a_run().key(&key, KeyMode::Keep).held()).await;
    bench.succeed(&running).await;
    assert_eq!(bench.waiting_run(&schedule).await.key, None);
}

pub(super) async fn a_failed_run_that_is_resumed_brings_nothing_more(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let first = bench.start_slot(60).await;
    bench.fail_for_good(&first).await;
    assert_eq!(bench.resume(first.run.id).await, CommandOutcome::Resumed);
    let again = bench.claim_one(&a_worker()).await;
    bench.wait(60);
    bench.promote().await;
    bench.nothing_to_claim().await;
    assert_eq!(bench.reap().await, [again.run.id]);
    let again = bench.claim_one(&a_worker()).await;
    bench.succeed(&again).await;
    assert_eq!(bench.waiting_runs(&schedule).await.len(), 1);
    assert_eq!(bench.claim_all().await.len(), 1, "the next slot had only to wait for its lane");
}

pub(super) async fn a_rerun_has_no_slot(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let first = bench.start_slot(60).await;
    bench.succeed(&first).await;
    let id = RunId::new();
    let outcome = bench.store.rerun(&home(), first.run.id, id, Admission::default()).await.expect("rerun answers");
    assert_eq!(outcome, RerunOutcome::Submitted(SubmitOutcome::Created));
    let again = bench.claim_one(&a_worker()).await;
    let scheduled = again.run.scheduled.expect("of the schedule");
    assert_eq!((again.run.id, scheduled.schedule, scheduled.slot), (id, schedule.id, None));
    bench.succeed(&again).await;
    assert_eq!(bench.waiting_runs(&schedule).await.len(), 1);
}

pub(super) async fn jitter_puts_a_run_off_and_not_its_slot(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60).jitter(30)).await;
    let run = bench.waiting_run(&schedule).await;
    let late = run.available_at.duration_since(bench.ahead(60));
    assert!(late > seconds(0) && late < seconds(30), "{late:?}");
    assert_eq!(run.scheduled.and_then(|scheduled| scheduled.slot), Some(bench.ahead(60)));
}

pub(super) async fn a_chain_in_order_needs_no_sweep(bench: Bench) {
    bench.schedule(a_schedule().every(60)).await;
    bench.start_slot(60).await;
    bench.schedule(a_schedule().every(60).paused()).await;
    assert_eq!(bench.store.sweep_schedules(100).await.expect("sweep answers"), []);
}

pub(super) async fn schedules_are_listed_newest_first_in_pages(bench: Bench) {
    bench.workspace("other").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.insert(0, bench.schedule(a_schedule().every(60)).await.id);
    }
    bench.schedule(a_schedule().every(60).of("other")).await;
    let mut seen = Vec::new();
    let mut page = Page::first(2);
    loop {
        let listed = bench.store.schedules(&home(), &Default::default(), &page).await.expect("schedules answers");
        seen.extend(listed.data.iter().map(|schedule| schedule.id));
        let Some(next) = listed.next else { break };
        page.after = Some(next);
    }
    assert_eq!(seen, ids);
}
