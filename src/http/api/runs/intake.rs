//! Makes a request for a run of what a caller sent.

use axum::http::HeaderMap;
use jiff::SignedDuration;

use super::{fingerprint, trace};
use crate::clock::Clock;
use crate::http::api::retry;
use crate::http::auth::Caller;
use crate::http::dto::SubmitRun;
use crate::http::problem::{Code, Problem};
use crate::http::state::Api;
use crate::run::{Due, Idempotency, IdempotencyKey, Json, NewRun, RunId, StartBy};

/// Ten years: whoever wants to wait longer has mistaken the unit.
const LONGEST_DELAY_SECONDS: f64 = 315_360_000.0;

/// More would make one submission as costly as a thousand.
const MOST_UPSTREAMS: usize = 1000;

/// In bytes, so that there is room for an item's place in a key of the usual length.
const LONGEST_BATCH_KEY: usize = 190;

/// What to store for `body`; `item` is its place in a batch.
pub(super) fn request(
    api: &Api,
    caller: &Caller,
    headers: &HeaderMap,
    body: SubmitRun,
    item: Option<usize>,
) -> Result<NewRun, Problem> {
    let due = due(&body)?;
    let start_by = start_by(&body, due)?;
    let idempotency = idempotency(api, headers, &body, item)?;
    check(&body)?;
    let payload = body.payload.unwrap_or_else(Json::null);
    let defaults = api.catalog.admit(&body.task, &payload)?;
    let usual = NewRun::of(body.task, payload);
    Ok(NewRun {
        workspace: caller.workspace.clone(),
        queue: body.queue.or(defaults.queue).unwrap_or(usual.queue),
        lane: body.lane,
        priority: body.priority.unwrap_or_default(),
        metadata: trace::kept_in(body.metadata, headers),
        due,
        start_by,
        max_attempts: body.max_attempts.or(defaults.max_attempts).unwrap_or(usual.max_attempts),
        timeout_seconds: body.timeout_seconds.or(defaults.timeout_seconds),
        retry: retry::policy(body.retry, defaults.retry)?,
        hold: body.hold.unwrap_or(false),
        after: body.after.unwrap_or_default().into_iter().map(RunId).collect(),
        key: body.key.map(|key| (key, body.key_mode.unwrap_or_default())),
        idempotency,
        ..usual
    })
}

fn due(body: &SubmitRun) -> Result<Due, Problem> {
    match (body.available_at, body.delay_seconds) {
        (None, None) => Ok(Due::Now),
        (Some(at), None) => Ok(Due::At(at)),
        (None, Some(seconds)) if (0.0..=LONGEST_DELAY_SECONDS).contains(&seconds) => {
            Ok(Due::After(SignedDuration::from_secs_f64(seconds)))
        }
        (None, Some(seconds)) => {
            let detail = format!("a delay of {seconds} s; give 0 to {LONGEST_DELAY_SECONDS}");
            Err(Problem::new(Code::InvalidField, detail).field("delay_seconds"))
        }
        (Some(_), Some(_)) => {
            Err(Problem::new(Code::ConflictingFields, "both available_at and delay_seconds are given")
                .field("delay_seconds")
                .hint("give only one of them"))
        }
    }
}

/// A deadline that no run can meet is a mistake, as far as that can be known: the time that counts is the database's.
fn start_by(body: &SubmitRun, due: Due) -> Result<Option<StartBy>, Problem> {
    let now = Clock::Database.host_now();
    let refused = |detail: String| Err(Problem::new(Code::InvalidField, detail).field("start_by"));
    match (body.start_by, body.start_within_seconds) {
        (None, None) => Ok(None),
        (Some(at), None) if at <= now => refused(format!("start_by is in the past: {at}")),
        (Some(at), None) if at <= due.instant(now) => {
            refused(format!("start_by is {at}, but the run is not due before {}", due.instant(now)))
        }
        (Some(at), None) => Ok(Some(StartBy::At(at))),
        (None, Some(seconds)) if f64::from(seconds.get()) > LONGEST_DELAY_SECONDS => {
            let detail = format!("start_within_seconds is {seconds}; give 1 to {LONGEST_DELAY_SECONDS}");
            Err(Problem::new(Code::InvalidField, detail).field("start_within_seconds"))
        }
        (None, Some(seconds)) => Ok(Some(StartBy::Within(seconds))),
        (Some(_), Some(_)) => {
            Err(Problem::new(Code::ConflictingFields, "both start_by and start_within_seconds are given")
                .field("start_within_seconds")
                .hint("give only one of them"))
        }
    }
}

/// What the types alone do not say.
fn check(body: &SubmitRun) -> Result<(), Problem> {
    if body.metadata.as_ref().is_some_and(|metadata| !metadata.as_str().starts_with('{')) {
        return Err(Problem::new(Code::InvalidField, "metadata must be an object, as in {\"team\": \"billing\"}")
            .field("metadata"));
    }
    if body.timeout_seconds.is_some_and(|seconds| i32::try_from(seconds.get()).is_err()) {
        let detail = format!("a time limit may be at most {} s", i32::MAX);
        return Err(Problem::new(Code::InvalidField, detail).field("timeout_seconds"));
    }
    if body.after.as_ref().is_some_and(|after| after.len() > MOST_UPSTREAMS) {
        let detail = format!("a run may wait for at most {MOST_UPSTREAMS} others");
        return Err(Problem::new(Code::InvalidField, detail).field("after"));
    }
    if body.key_mode.is_some() && body.key.is_none() {
        return Err(Problem::new(Code::ConflictingFields, "key_mode is given without key").field("key_mode"));
    }
    Ok(())
}

/// In a batch each submission has the key of the whole and its place, so that the batch can be sent again.
fn idempotency(
    api: &Api,
    headers: &HeaderMap,
    body: &SubmitRun,
    item: Option<usize>,
) -> Result<Option<Idempotency>, Problem> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let refused = |reason: String| Problem::new(Code::InvalidHeader, reason).field("Idempotency-Key");
    let given = std::str::from_utf8(value.as_bytes())
        .map_err(|_| refused("the key is not UTF-8 text; give 1 to 200 bytes of printable text".into()))?;
    let mut key = IdempotencyKey::parse(given).map_err(|error| refused(error.to_string()))?;
    if let Some(item) = item {
        if given.len() > LONGEST_BATCH_KEY {
            return Err(refused(format!("the key of a batch may have at most {LONGEST_BATCH_KEY} bytes")));
        }
        key = IdempotencyKey::parse(format!("{given}#{item}")).map_err(|error| refused(error.to_string()))?;
    }
    let fingerprint = fingerprint::of(body).map_err(|error| refused(error.to_string()))?;
    Ok(Some(Idempotency { key, fingerprint, ttl: api.idempotency_ttl }))
}
