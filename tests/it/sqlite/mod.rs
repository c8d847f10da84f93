//! What is special about SQLite: its file. What all stores have in common is in the conformance suite.

mod durability;
mod opening;
mod proof;
mod verbs;

use std::path::PathBuf;

use jiff::Timestamp;
use runlane::clock::{Clock, ManualClock};
use runlane::run::lifecycle::{Outcome, Taker};
use runlane::run::{HostName, Json, NewRun, TaskName, WorkerId};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Claim, ClaimRequest, Finish, Lease, Store};

/// A file in a directory of its own, gone at the end of the test.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("runs.db")
    }

    async fn open(&self, clock: Clock) -> SqliteStore {
        SqliteStore::open_and_migrate(self.file(), clock).await.expect("a store in a fresh directory opens")
    }
}

fn noon() -> ManualClock {
    ManualClock::starting_at("2026-01-01T12:00:00Z".parse::<Timestamp>().expect("a time"))
}

fn a_run() -> NewRun {
    NewRun::of(TaskName::parse("resize").expect("a name"), Json::parse(r#"{"width": 100}"#).expect("JSON"))
}

fn a_request(capacity: usize) -> ClaimRequest {
    ClaimRequest::of(Taker { worker: WorkerId::new(), host: HostName::parse("here").expect("a name") }, capacity)
}

async fn claim(store: &SqliteStore, capacity: usize) -> Claim {
    store.claim(&a_request(capacity)).await.expect("a claim")
}

fn success(lease: Lease) -> Finish {
    Finish::of(lease, Outcome::Succeeded { output: None })
}
