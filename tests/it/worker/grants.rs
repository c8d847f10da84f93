//! Scheduled work starts only under a grant that stands, and knows whose it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use runlane::executor::native::TaskError;
use runlane::maintenance::{Maintenance, Settings};
use runlane::run::{Run, Status, WorkspaceName};
use runlane::schedule::{Overlap, Schedule, Timing};
use runlane::store::{Page, RunFilter};
use tokio_util::sync::CancellationToken;

use super::{PATIENCE, Rig, Working};
use crate::schedules::support::{any_task, every, schedule, spec};

async fn runs(rig: &Rig, schedule: &Schedule) -> Vec<Run> {
    let filter = RunFilter { schedule: Some(schedule.id), ..RunFilter::default() };
    rig.store.runs(&WorkspaceName::default(), &filter, &Page::first(100)).await.expect("runs").data
}

/// The passes, until it is dropped.
fn keep_up(rig: &Rig) -> tokio_util::sync::DropGuard {
    let stop = CancellationToken::new();
    let (maintenance, told) = (Maintenance::new(Arc::clone(&rig.store), Settings::default()), stop.clone());
    tokio::spawn(async move { maintenance.run(told).await });
    stop.drop_guard()
}

#[tokio::test]
async fn a_schedule_of_seconds_is_worked_off_in_time() {
    let rig = Rig::new().await;
    let _passes = keep_up(&rig);
    let grant = any_task();
    rig.store.create_grant(&grant).await.expect("a grant");
    let account = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&account);
    let working = Working::start(rig.worker().task("tick", move |ctx, (): ()| {
        let paid_by = ctx.grant().map(|grant| grant.billing_account.to_string());
        seen.lock().expect("not poisoned").push(paid_by);
        async { Ok::<_, TaskError>(()) }
    }));
    let made = schedule(&*rig.store, spec("tick", every(1, Timestamp::UNIX_EPOCH), Overlap::Forbid), grant.id).await;
    let done = tokio::time::timeout(PATIENCE, async {
        while runs(&rig, &made).await.iter().filter(|run| run.status() == Status::Succeeded).count() < 4 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    done.await.expect("in time");
    working.stop().await;
    let seen = account.lock().expect("not poisoned").clone();
    assert!(seen.len() >= 4 && seen.iter().all(|paid_by| paid_by.as_deref() == Some("acme")), "{seen:?}");
}

#[tokio::test]
async fn a_grant_that_is_revoked_stops_what_has_not_started() {
    let rig = Rig::new().await;
    let _passes = keep_up(&rig);
    let grant = any_task();
    rig.store.create_grant(&grant).await.expect("a grant");
    let started = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&started);
    let soon = Timing::Once { at: Timestamp::now() + SignedDuration::from_millis(500) };
    let made = schedule(&*rig.store, spec("never", soon, Overlap::Forbid), grant.id).await;
    rig.store.revoke_grant(&WorkspaceName::default(), grant.id).await.expect("revoked");
    let working = Working::start(rig.worker().task("never", move |_, (): ()| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, TaskError>(()) }
    }));
    let run = runs(&rig, &made).await.remove(0);
    let run = rig.until(run.id, Status::Failed).await;
    assert_eq!(run.error.map(|error| error.code).as_deref(), Some("grant_revoked"));
    let seen = rig.store.schedule(&made.workspace, made.id).await.expect("a read").expect("it is there");
    assert_eq!(seen.disabled.map(|reason| reason.code).as_deref(), Some("grant_revoked"));
    working.stop().await;
    assert_eq!(started.load(Ordering::SeqCst), 0);
}
