//! Schedules for tests, and the account of their slots.

use std::collections::BTreeMap;
use std::num::{NonZeroU16, NonZeroU32};

use jiff::Timestamp;
use runlane::run::{GrantId, Json, Priority, QueueName, ScheduleId, TaskName, WorkspaceName};
use runlane::schedule::{
    BillingAccount, Cron, Dst, NewGrant, NewSchedule, Overlap, Schedule, ScheduleName, ScheduleSpec, Scopes, Timing,
    UserName, Zone,
};
use runlane::store::{CreateScheduleOutcome, Page, RunFilter, Store};

pub(crate) fn cron(expression: &str, zone: &str) -> Timing {
    let (cron, zone) = (Cron::parse(expression).expect("an expression"), Zone::parse(zone).expect("a zone"));
    Timing::Cron { cron, zone, dst: Dst::default() }
}

pub(crate) fn every(seconds: u32, from: Timestamp) -> Timing {
    Timing::Every { seconds: NonZeroU32::new(seconds).expect("seconds"), from }
}

pub(crate) fn spec(task: &str, timing: Timing, overlap: Overlap) -> ScheduleSpec {
    ScheduleSpec {
        name: ScheduleName::parse(format!("{task} {}", ScheduleId::new())).expect("a name"),
        timing,
        overlap,
        catch_up_limit: 0,
        start_within_seconds: None,
        jitter_seconds: 0,
        task: TaskName::parse(task).expect("a name"),
        payload: Json::null(),
        queue: QueueName::default(),
        lane: None,
        priority: Priority::default(),
        max_attempts: NonZeroU16::MIN.saturating_add(1),
        timeout_seconds: None,
        retry: None,
        metadata: None,
    }
}

/// A grant for any task.
pub(crate) fn any_task() -> NewGrant {
    NewGrant {
        id: GrantId::new(),
        workspace: WorkspaceName::default(),
        user: UserName::parse("ada").expect("a name"),
        billing_account: BillingAccount::parse("acme").expect("a name"),
        scopes: Scopes::parse(vec!["*".to_owned()]).expect("scopes"),
        expires_at: None,
    }
}

/// A schedule that is at work, under a grant that is there.
pub(crate) async fn schedule(store: &dyn Store, spec: ScheduleSpec, grant: GrantId) -> Schedule {
    let workspace = WorkspaceName::default();
    let request = NewSchedule { id: ScheduleId::new(), workspace, spec, grant, enabled: true };
    match store.create_schedule(&request, None).await.expect("an answer") {
        CreateScheduleOutcome::Created(schedule) => schedule,
        other => panic!("not created: {other:?}"),
    }
}

/// How often each slot of a schedule up to `end` had a run or was recorded as skipped: once, if all is well.
pub(crate) async fn account(store: &dyn Store, schedule: &Schedule, end: Timestamp) -> BTreeMap<Timestamp, usize> {
    let mut slots: BTreeMap<Timestamp, usize> = BTreeMap::new();
    let expected = std::iter::successors(schedule.spec.timing.next_after(schedule.created_at), |slot| {
        schedule.spec.timing.next_after(*slot)
    });
    slots.extend(expected.take_while(|slot| *slot <= end).map(|slot| (slot, 0)));
    let filter = RunFilter { schedule: Some(schedule.id), ..RunFilter::default() };
    let mut page = Page::first(1000);
    loop {
        let listed = store.runs(&schedule.workspace, &filter, &page).await.expect("runs");
        let had = listed.data.iter().filter_map(|run| run.scheduled?.slot).filter(|slot| *slot <= end);
        had.for_each(|slot| *slots.entry(slot).or_default() += 1);
        let Some(next) = listed.next else { break };
        page.after = Some(next);
    }
    let mut page = Page::first(1000);
    loop {
        let listed = store.skips(&schedule.workspace, schedule.id, &page).await.expect("skips");
        for skip in &listed.data {
            let skipped: Vec<Timestamp> = slots.range(skip.first..=skip.last).map(|(slot, _)| *slot).collect();
            assert_eq!((skipped.first(), skipped.last()), (Some(&skip.first), Some(&skip.last)), "{skip:?}");
            assert!(skip.count as usize == skipped.len() || skip.count == 1_000, "{skip:?}");
            skipped.into_iter().for_each(|slot| *slots.entry(slot).or_default() += 1);
        }
        let Some(next) = listed.next else { return slots };
        page.after = Some(next);
    }
}

/// Every slot exactly once.
pub(crate) fn judge(slots: &BTreeMap<Timestamp, usize>) -> Result<usize, String> {
    let wrong: Vec<String> =
        slots.iter().filter(|(_, times)| **times != 1).map(|(slot, times)| format!("{slot}: {times} times")).collect();
    if wrong.is_empty() { Ok(slots.len()) } else { Err(wrong.join(", ")) }
}
