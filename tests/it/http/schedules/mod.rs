//! Schedules over the API: made, changed, previewed, triggered, and what became of their slots.

mod create;
mod edit;
mod refusals;
mod slots;

use std::sync::Arc;

use reqwest::StatusCode;
use runlane::clock::{Clock, ManualClock};
use runlane::store::sqlite::SqliteStore;
use serde_json::Value;

use super::Site;

/// A server whose database goes by a clock of ours, which begins at the time it is.
pub(super) async fn timed() -> (Site, ManualClock, tempfile::TempDir) {
    let place = tempfile::tempdir().expect("a directory");
    let clock = ManualClock::starting_at(Clock::Database.host_now());
    let store = SqliteStore::open_and_migrate(place.path().join("runs.db"), Clock::Manual(clock.clone())).await;
    let site = Site::on(Arc::new(store.expect("a store")), |_| {}).await;
    (site, clock, place)
}

pub(super) async fn schedule(site: &Site, body: Value) -> Value {
    let made = site.post("/v1/schedules", body).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    made.body
}

pub(super) fn path(thing: &Value, rest: &str) -> String {
    format!("/v1/schedules/{}{rest}", thing["id"].as_str().expect("an id"))
}

pub(super) async fn runs_of(site: &Site, schedule: &Value) -> Vec<Value> {
    let found = site.get(&format!("/v1/runs?schedule={}", schedule["id"].as_str().expect("an id"))).await;
    found.body["data"].as_array().expect("runs").clone()
}
