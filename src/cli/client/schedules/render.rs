//! One schedule, as a line of a list and in full.

use std::fmt::Write;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use crate::cli::client::doc::Doc;
use crate::cli::client::render::{Cell, Paint, ago, plain, span};
use crate::cli::client::seen::RunError;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Schedule {
    pub(super) id: String,
    name: String,
    task: String,
    payload: Doc,
    queue: String,
    lane: Option<String>,
    priority: i64,
    max_attempts: u32,
    timeout_seconds: Option<u32>,
    metadata: Doc,
    cron: Option<String>,
    timezone: Option<String>,
    dst: Option<Dst>,
    every_seconds: Option<u32>,
    starts_at: Option<Timestamp>,
    at: Option<Timestamp>,
    overlap: String,
    catch_up_limit: u32,
    start_within_seconds: Option<u32>,
    jitter_seconds: u32,
    enabled: bool,
    disabled: Option<RunError>,
    next_slot: Option<Timestamp>,
    last_slot: Option<Timestamp>,
    grant_id: String,
    version: i64,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Dst {
    gap: String,
    overlap: String,
}

/// The line of a list: ID, NAME, TASK, WHEN, NEXT, LAST, STATE.
pub(super) fn row(schedule: &Schedule, now: Timestamp) -> Vec<Cell> {
    let state = state(schedule);
    vec![
        Cell::of(&schedule.id),
        Cell::of(&schedule.name),
        Cell::of(&schedule.task),
        Cell::of(when(schedule)),
        Cell::maybe(schedule.next_slot.map(|at| ago(at, now))),
        Cell::maybe(schedule.last_slot.map(|at| ago(at, now))),
        if schedule.enabled { Cell::of(state) } else { Cell::of(state).warn() },
    ]
}

fn state(schedule: &Schedule) -> String {
    match &schedule.disabled {
        Some(why) if !schedule.enabled => why.code.clone(),
        _ if schedule.enabled => "active".into(),
        _ => "off".into(),
    }
}

fn when(schedule: &Schedule) -> String {
    match (&schedule.cron, schedule.every_seconds, schedule.at) {
        (Some(cron), ..) => match schedule.timezone.as_deref() {
            Some("UTC") | None => cron.clone(),
            Some(zone) => format!("{cron} {zone}"),
        },
        (_, Some(seconds), _) => format!("every {}", interval(seconds)),
        (_, _, Some(at)) => format!("once, {}", whole(at)),
        _ => "–".into(),
    }
}

/// `90 s`, `15 min`, `2 h`: exactly as it was given.
fn interval(seconds: u32) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        _ if seconds.is_multiple_of(86_400) => format!("{} d", seconds / 86_400),
        _ if seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        _ if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// How it stands after it was made or changed.
pub(super) fn told(schedule: &Schedule, now: Timestamp) -> String {
    match (&schedule.disabled, schedule.next_slot) {
        (Some(why), _) => format!("disabled: {}", plain(&why.message)),
        (None, Some(next)) => format!("next {}, at {}", ago(next, now), whole(next)),
        (None, None) => "no future slots".into(),
    }
}

/// Everything, a field a line.
pub(super) fn card(schedule: &Schedule, paint: Paint, now: Timestamp) -> String {
    let mut text = format!("schedule {}  {}\n", paint.strong(&plain(&schedule.id)), plain(&state(schedule)));
    let mut line = |name: &str, words: Option<String>| {
        if let Some(words) = words {
            let _ = writeln!(text, "  {}{}", paint.quiet(&format!("{name:<11}")), plain(&words));
        }
    };
    let time = |at: Option<Timestamp>| at.map(|at| format!("{} ({})", ago(at, now), whole(at)));
    let seconds = |seconds: u32| span(SignedDuration::from_secs(seconds.into()));
    let json = |doc: &Doc| (!doc.is_null()).then(|| doc.to_string());
    line("because", schedule.disabled.as_ref().map(|why| why.message.clone()));
    line("name", Some(schedule.name.clone()));
    line("task", Some(schedule.task.clone()));
    line("when", Some(when(schedule)));
    line("starts", schedule.starts_at.map(whole));
    let unusual = schedule.dst.as_ref().filter(|dst| dst.gap != "after" || dst.overlap != "first");
    line("dst", unusual.map(|dst| format!("gap {}, overlap {}", dst.gap, dst.overlap)));
    line("next", time(schedule.next_slot));
    line("last", time(schedule.last_slot));
    line("overlap", Some(schedule.overlap.clone()));
    line("catch up", (schedule.catch_up_limit > 0).then(|| format!("at most {}", schedule.catch_up_limit)));
    line("deadline", schedule.start_within_seconds.map(seconds));
    line("jitter", (schedule.jitter_seconds > 0).then(|| format!("up to {}", seconds(schedule.jitter_seconds))));
    line("queue", Some(schedule.queue.clone()));
    line("lane", schedule.lane.clone());
    line("priority", (schedule.priority != 0).then(|| schedule.priority.to_string()));
    line("attempts", Some(schedule.max_attempts.to_string()));
    line("time limit", schedule.timeout_seconds.map(seconds));
    line("grant", Some(schedule.grant_id.clone()));
    line("version", Some(schedule.version.to_string()));
    line("created", time(schedule.created_at));
    line("updated", time(schedule.updated_at));
    line("payload", json(&schedule.payload));
    line("metadata", json(&schedule.metadata));
    text
}

/// `2026-11-16 02:30:00 UTC`.
pub(super) fn whole(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}
