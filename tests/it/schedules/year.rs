//! A year of a thousand schedules by a clock that jumps, with workers that crash and a fortnight in which nobody works.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use runlane::clock::{Clock, ManualClock};
use runlane::run::lifecycle::{Outcome, Retry, Taker};
use runlane::run::{HostName, Jitter, RunError, WorkerId};
use runlane::schedule::{Overlap, Schedule};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{ClaimRequest, Claimed, Finish, Store};

use super::support::{account, any_task, cron, judge, schedule, spec};

const SCHEDULES: usize = 1_000;
const STEP: SignedDuration = SignedDuration::from_hours(6);
const ZONES: [&str; 8] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "Asia/Kathmandu",
    "America/Santiago",
    "Africa/Casablanca",
];

#[tokio::test]
async fn each_slot_of_a_year_has_one_run_or_one_record() {
    let place = tempfile::tempdir().expect("a directory");
    let start: Timestamp = "2027-01-01T00:00:00Z".parse().expect("a time");
    let clock = ManualClock::starting_at(start);
    let store = SqliteStore::open_and_migrate(place.path().join("runs.db"), Clock::Manual(clock.clone())).await;
    let store: Arc<dyn Store> = Arc::new(store.expect("a store"));
    let grant = any_task();
    store.create_grant(&grant).await.expect("a grant");
    let mut schedules = Vec::new();
    for at in 0..SCHEDULES {
        schedules.push(schedule(&*store, spec("work", timing(at), overlap(at)), grant.id).await);
    }
    let mut year = Year { store: Arc::clone(&store), clock: clock.clone(), random: fastrand::Rng::with_seed(7) };
    let end = start + SignedDuration::from_hours(24 * 365);
    while clock.now() < end {
        // Nobody is there in the first half of March.
        let march = clock.now().to_zoned(jiff::tz::TimeZone::UTC);
        if (march.month(), march.day()) >= (3, 1) && (march.month(), march.day()) < (3, 15) {
            clock.advance(STEP);
            continue;
        }
        year.step().await;
    }
    let (mut slots, mut skipped) = (0, 0);
    for schedule in &schedules {
        let seen = account(&*store, schedule, clock.now()).await;
        slots += judge(&seen).unwrap_or_else(|wrong| panic!("{:?}: {wrong}", schedule.spec.timing));
        skipped += in_records(&*store, schedule).await;
    }
    println!("{slots} slots, {skipped} of them skipped");
    assert!(slots > 25_000, "{slots} slots");
    assert!(skipped > 300, "a fortnight without anybody is missed by the daily ones: {skipped}");
}

fn timing(at: usize) -> runlane::schedule::Timing {
    let (minute, hour, zone) = (at % 60, at % 24, ZONES[at % ZONES.len()]);
    let expression = match at % 100 {
        0..3 => format!("{minute} {hour} * * *"),
        3..25 => format!("{minute} {hour} * * {}", at % 7),
        25..97 => format!("{minute} {hour} {} * *", at % 28 + 1),
        _ => format!("{minute} {hour} 29 {} *", at % 12 + 1),
    };
    cron(&expression, zone)
}

fn overlap(at: usize) -> Overlap {
    [Overlap::Forbid, Overlap::Forbid, Overlap::Allow, Overlap::Replace][at % 4]
}

async fn in_records(store: &dyn Store, schedule: &Schedule) -> usize {
    let page = runlane::store::Page::first(1000);
    let skips = store.skips(&schedule.workspace, schedule.id, &page).await.expect("skips").data;
    skips.iter().map(|skip| skip.count as usize).sum()
}

struct Year {
    store: Arc<dyn Store>,
    clock: ManualClock,
    random: fastrand::Rng,
}

impl Year {
    /// Six hours pass, and a worker does what has come due since, unless it crashes.
    async fn step(&mut self) {
        self.clock.advance(STEP);
        let taker = Taker { worker: WorkerId::new(), host: HostName::parse("here").expect("a name") };
        loop {
            self.store.reap(5_000).await.expect("reap");
            self.store.promote(5_000).await.expect("promote");
            let request = ClaimRequest::of(taker.clone(), 2_000);
            let claimed = self.store.claim(&request).await.expect("claim").runs;
            if claimed.is_empty() {
                return;
            }
            let finishes: Vec<Finish> = claimed.iter().filter_map(|claimed| self.outcome(claimed)).collect();
            self.store.finish(&finishes).await.expect("finish");
        }
    }

    /// `None` if the worker crashes over it.
    fn outcome(&mut self, claimed: &Claimed) -> Option<Finish> {
        let error = || RunError::new("broken", "it broke");
        let outcome = match (claimed.adopted, self.random.u8(..100)) {
            (false, 0..8) => return None,
            (true, 0..50) => Outcome::Lost,
            (_, 8..12) => Outcome::Failed { error: error(), retry: Retry::Backoff },
            (_, 12..15) => Outcome::Failed { error: error(), retry: Retry::Never },
            _ => Outcome::Succeeded { output: None },
        };
        Some(Finish { jitter: Jitter(self.random.u32(..)), ..Finish::of(claimed.lease(), outcome) })
    }
}
