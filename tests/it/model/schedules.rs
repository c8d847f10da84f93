//! What the sequences ask of schedules and grants.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use runlane::run::{GrantId, Json, LaneName, Priority, QueueName, ScheduleId, TaskName};
use runlane::schedule::{
    BillingAccount, Grant, NewGrant, NewSchedule, Overlap, Schedule, ScheduleName, ScheduleSpec, Scopes, Skip, Timing,
    UserName,
};
use runlane::store::{Page, Result, ScheduleEdit, ScheduleFilter, Store, UsageFilter, UsageSum};
use uuid::Uuid;

use super::play::workspace;

/// How many ids there are for each: few, so that they meet.
const GRANTS: u8 = 3;
const SCHEDULES: u8 = 3;
const NAMES: u8 = 5;

#[derive(Clone, Debug)]
pub(crate) enum Ask {
    /// Which one, for how many milliseconds, for any task or another one.
    CreateGrant(u8, Option<u32>, bool),
    RevokeGrant(u8),
    /// Which one, under which grant or a new one with that id, how, and whether at once.
    Create(u8, u8, bool, How, bool),
    /// Which one, by how much the version is off, under which grant or a new one with that id, how, and whether it is at
    /// work.
    Edit(u8, i8, u8, bool, How, bool),
    Delete(u8),
    Sweep,
}

#[derive(Clone, Debug)]
pub(crate) struct How {
    name: u8,
    seconds: u32,
    once: bool,
    overlap: Overlap,
    catch_up: u16,
    deadline: Option<u32>,
    jitter: u32,
    lane: bool,
    max_attempts: u16,
}

pub(crate) fn ask() -> impl Strategy<Value = Ask> {
    let (grant, schedule) = (0..GRANTS, 0..SCHEDULES);
    prop_oneof![
        2 => (grant.clone(), prop::option::weighted(0.3, Just(30_000u32)), prop::bool::weighted(0.9))
            .prop_map(|(grant, expiry, any_task)| Ask::CreateGrant(grant, expiry, any_task)),
        1 => grant.clone().prop_map(Ask::RevokeGrant),
        4 => (schedule.clone(), grant.clone(), any::<bool>(), how(), prop::bool::weighted(0.9))
            .prop_map(|(id, grant, new, how, enabled)| Ask::Create(id, grant, new, how, enabled)),
        3 => (schedule.clone(), prop_oneof![9 => Just(0i8), 1 => Just(-1i8)], grant, prop::bool::weighted(0.3), how(),
            prop::bool::weighted(0.7))
            .prop_map(|(id, off, grant, new, how, enabled)| Ask::Edit(id, off, grant, new, how, enabled)),
        1 => schedule.prop_map(Ask::Delete),
        1 => Just(Ask::Sweep),
    ]
}

fn how() -> impl Strategy<Value = How> {
    let overlap = prop::sample::select(vec![Overlap::Forbid, Overlap::Forbid, Overlap::Allow, Overlap::Replace]);
    let name = 0..NAMES;
    let times = (prop::sample::select(vec![1u32, 2, 60]), prop::bool::weighted(0.1), overlap);
    let rest = (
        prop_oneof![2 => Just(0u16), 1 => 1..3u16],
        prop::option::weighted(0.2, 1..5u32),
        prop_oneof![3 => Just(0u32), 1 => Just(3u32)],
        prop::bool::weighted(0.3),
        1..3u16,
    );
    (name, times, rest).prop_map(
        |(name, (seconds, once, overlap), (catch_up, deadline, jitter, lane, max_attempts))| How {
            name,
            seconds,
            once,
            overlap,
            catch_up,
            deadline,
            jitter,
            lane,
            max_attempts,
        },
    )
}

/// Everything that can be read of them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Recurring {
    schedules: Vec<Schedule>,
    grants: Vec<Grant>,
    skips: Vec<Skip>,
    usage: Vec<UsageSum>,
}

impl Recurring {
    pub(crate) async fn of(store: &dyn Store) -> Result<Self> {
        let mut all = Self::default();
        for at in 0..2 {
            let workspace = workspace(at);
            let schedules = store.schedules(&workspace, &ScheduleFilter::default(), &Page::first(100)).await?.data;
            for schedule in &schedules {
                all.skips.extend(store.skips(&workspace, schedule.id, &Page::first(100)).await?.data);
            }
            all.schedules.extend(schedules);
            all.grants.extend(store.grants(&workspace, &Page::first(100)).await?.data);
            all.usage.extend(store.usage(&workspace, &UsageFilter::default()).await?);
        }
        Ok(all)
    }
}

/// Carries it out; `now` is what the clock shows.
pub(crate) async fn play(store: &dyn Store, ask: &Ask, now: Timestamp) -> Result<String> {
    Ok(match ask {
        Ask::CreateGrant(id, expiry, any_task) => {
            format!("{:?}", store.create_grant(&new_grant(*id, *expiry, *any_task, now)).await?)
        }
        Ask::RevokeGrant(id) => format!("{:?}", store.revoke_grant(&workspace(home(*id)), grant(*id)).await?),
        Ask::Create(id, under, new, how, enabled) => {
            let request = NewSchedule {
                id: schedule(*id),
                workspace: workspace(home(*id)),
                spec: spec(how, now),
                grant: grant(*under),
                enabled: *enabled,
            };
            let new =
                new.then(|| NewGrant { workspace: request.workspace.clone(), ..new_grant(*under, None, true, now) });
            format!("{:?}", store.create_schedule(&request, new.as_ref()).await?)
        }
        Ask::Edit(id, off, under, new, how, enabled) => {
            let workspace = workspace(home(*id));
            let seen = store.schedule(&workspace, schedule(*id)).await?;
            let version = seen.as_ref().map_or(1, |seen| seen.version) + i64::from(*off);
            // Half of the edits leave the times as they are.
            let mut spec = spec(how, now);
            if let Some(seen) = seen.filter(|_| how.seconds != 60) {
                spec.timing = seen.spec.timing;
            }
            let edit = ScheduleEdit { version, spec, grant: grant(*under), enabled: *enabled };
            let new = new.then(|| NewGrant { workspace: workspace.clone(), ..new_grant(*under, None, true, now) });
            format!("{:?}", store.edit_schedule(&workspace, schedule(*id), &edit, new.as_ref()).await?)
        }
        Ask::Delete(id) => format!("{:?}", store.delete_schedule(&workspace(home(*id)), schedule(*id)).await?),
        Ask::Sweep => format!("{:?}", store.sweep_schedules(100).await?),
    })
}

fn grant(at: u8) -> GrantId {
    GrantId(Uuid::from_u128(u128::from(at) + 100))
}

fn schedule(at: u8) -> ScheduleId {
    ScheduleId(Uuid::from_u128(u128::from(at) + 200))
}

/// The last of each lives in the other workspace.
fn home(at: u8) -> u8 {
    u8::from(at == SCHEDULES - 1)
}

fn new_grant(id: u8, expiry: Option<u32>, any_task: bool, now: Timestamp) -> NewGrant {
    NewGrant {
        id: grant(id),
        workspace: workspace(home(id)),
        user: UserName::parse("ada").expect("a good name"),
        billing_account: BillingAccount::parse(format!("account-{id}")).expect("a good name"),
        scopes: Scopes::parse(vec![if any_task { "*" } else { "other" }.to_owned()]).expect("good scopes"),
        expires_at: expiry.map(|ms| now + SignedDuration::from_millis(ms.into())),
    }
}

fn spec(how: &How, now: Timestamp) -> ScheduleSpec {
    let seconds = NonZeroU32::new(how.seconds).expect("not zero");
    ScheduleSpec {
        name: ScheduleName::parse(format!("schedule {}", how.name)).expect("a good name"),
        timing: match how.once {
            true => Timing::Once { at: now + SignedDuration::from_secs(how.seconds.into()) },
            false => Timing::Every { seconds, from: Timestamp::UNIX_EPOCH },
        },
        overlap: how.overlap,
        catch_up_limit: how.catch_up,
        start_within_seconds: how.deadline.and_then(NonZeroU32::new),
        jitter_seconds: how.jitter,
        task: TaskName::parse("task").expect("a good name"),
        payload: Json::null(),
        queue: QueueName::default(),
        lane: how.lane.then(|| LaneName::parse("a").expect("a good name")),
        priority: Priority::default(),
        max_attempts: NonZeroU16::new(how.max_attempts).expect("not zero"),
        timeout_seconds: None,
        retry: None,
        metadata: None,
    }
}
