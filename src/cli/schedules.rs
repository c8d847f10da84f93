//! Creates and updates the schedules of the configuration, when a process starts and when it reads its file again.

use runlane::actions::{AppliedSchedule, ApplyMode, By, Catalog, apply_schedule};
use runlane::clock::Clock;
use runlane::store::Store;

use super::settings::{ScheduleConfig, Schedules};

/// How many of them were what they are meant to be, or became so.
#[derive(Default)]
struct Count {
    created: usize,
    updated: usize,
    unchanged: usize,
    failed: usize,
}

/// Applies each of them. One that cannot be is logged and left as it is: the others, and the service, do not depend on it.
pub(super) async fn apply_all(store: &dyn Store, catalog: &dyn Catalog, schedules: &Schedules) {
    if schedules.is_empty() {
        return;
    }
    let mut count = Count::default();
    for (name, (place, schedule)) in schedules {
        let ScheduleConfig { workspace, wanted } = schedule;
        let (by, now) = (By::configuration(workspace.clone()), Clock::Database.host_now());
        match apply_schedule(store, &by, catalog, wanted, ApplyMode::Write, now).await {
            Ok(AppliedSchedule::Unchanged(_)) => count.unchanged += 1,
            Ok(AppliedSchedule::Created(schedule)) => {
                count.created += 1;
                tracing::info!(schedule = name, id = %schedule.id, "created a schedule of the configuration");
            }
            Ok(AppliedSchedule::Updated { after, .. }) => {
                count.updated += 1;
                tracing::info!(schedule = name, id = %after.id, "updated a schedule to the configuration");
            }
            Err(error) => {
                count.failed += 1;
                tracing::error!("{place}: schedule {name:?} was not applied: {error}");
            }
        }
    }
    let Count { created, updated, unchanged, failed } = count;
    tracing::info!(created, updated, unchanged, failed, "applied the schedules of the configuration");
}

/// Says which of them are no longer in the file. They go on: another process may still have them in its own.
pub(super) fn warn_of_removed(before: &Schedules, now: &Schedules) {
    let removed: Vec<&String> = before.keys().filter(|name| !now.contains_key(*name)).collect();
    if !removed.is_empty() {
        let help = "`runlane schedules pause` or `delete` stops them";
        tracing::warn!(schedules = ?removed, "these schedules are not in the file any more, and go on; {help}");
    }
}
