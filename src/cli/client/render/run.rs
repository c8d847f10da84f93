//! One run, as a line of a list and in full.

use std::fmt::Write;

use jiff::{SignedDuration, Timestamp};

use super::{Cell, Paint, ago, plain, span};
use crate::cli::client::doc::Doc;
use crate::cli::client::seen::{Attempt, RetryWait, Run};

/// The line of a list: ID, STATUS, TASK, QUEUE, LANE, TRIES, REQUESTED, TOOK, NOTE.
pub(in crate::cli::client) fn row(run: &Run, now: Timestamp) -> Vec<Cell> {
    vec![
        Cell::of(&run.id),
        Cell::status(&run.status),
        Cell::of(&run.task),
        Cell::of(&run.queue),
        Cell::maybe(run.lane.as_ref()),
        Cell::of(format!("{}/{}", run.attempt, run.max_attempts)),
        Cell::maybe(run.requested_at.map(|at| ago(at, now))),
        Cell::maybe(took(run, now).map(span)),
        Cell::of(note(run, now)),
    ]
}

/// How long it has been executing, waits between attempts included.
fn took(run: &Run, now: Timestamp) -> Option<SignedDuration> {
    let end = run.finished_at.or((run.status == "running").then_some(now))?;
    Some(end.duration_since(run.started_at?))
}

/// What explains the status, in a few words.
fn note(run: &Run, now: Timestamp) -> String {
    if run.cancel_requested && !run.is_terminal() {
        return "cancel requested".into();
    }
    let blocked = run.blocked_by.as_deref().map(|reason| match (reason, run.available_at) {
        ("available_at", Some(at)) => format!("due {}", ago(at, now)),
        ("lane", _) => "waits for its lane".into(),
        ("upstream", _) => "waits for other runs".into(),
        (other, _) => format!("waits: {other}"),
    });
    let error = run.error.as_ref().map(|error| short(&format!("{}: {}", error.code, error.message), 60));
    match (blocked, error) {
        (Some(blocked), Some(error)) => format!("{blocked}; {error}"),
        (blocked, error) => blocked.or(error).unwrap_or_default(),
    }
}

fn short(text: &str, most: usize) -> String {
    let first = text.lines().next().unwrap_or_default();
    if first.chars().count() <= most {
        return first.to_owned();
    }
    first.chars().take(most - 1).chain(['…']).collect()
}

/// Everything, a field a line, and the attempts below.
pub(in crate::cli::client) fn card(run: &Run, attempts: &[Attempt], paint: Paint, now: Timestamp) -> String {
    let mut card = Card { text: String::new(), paint };
    let _ = writeln!(card.text, "run {}  {}", paint.strong(&plain(&run.id)), paint.status(&run.status));
    let note = note(run, now);
    if run.error.is_none() && !note.is_empty() {
        card.line("because", &note);
    }
    card.line("task", &run.task);
    card.line("queue", &run.queue);
    card.maybe("lane", run.lane.as_deref());
    card.maybe("key", run.key.as_deref());
    if run.workspace != "default" {
        card.line("workspace", &run.workspace);
    }
    if run.priority != 0 {
        card.line("priority", &run.priority.to_string());
    }
    card.line("attempts", &format!("{} of {}", run.attempt, run.max_attempts));
    card.maybe("time limit", run.timeout_seconds.map(|limit| span(SignedDuration::from_secs(limit.into()))).as_deref());
    card.maybe("retry wait", run.retry.map(retry_words).as_deref());
    card.maybe("schedule", run.schedule_id.as_deref());
    if run.schedule_id.is_some() {
        card.line("slot", &run.slot.map_or("none: it was triggered".into(), slot_words));
    }
    card.time("requested", run.requested_at, now);
    if run.available_at.is_some_and(|at| at > now) {
        card.time("due", run.available_at, now);
    }
    if run.started_at.is_none() && run.finished_at.is_none() {
        card.time("start by", run.start_by, now);
    }
    card.time("started", run.started_at, now);
    card.time("finished", run.finished_at, now);
    card.maybe("took", took(run, now).map(span).as_deref());
    if let Some(lease) = &run.lease {
        card.line(
            "worker",
            &format!("{}, lease ends {}", lease.owner, lease.expires_at.map_or("–".into(), |at| ago(at, now))),
        );
    }
    if let Some(error) = &run.error {
        card.line("error", &format!("{}: {}", error.code, error.message));
    }
    card.json("payload", &run.payload);
    card.json("output", &run.output);
    card.maybe("usage", used(run).as_deref());
    card.json("metadata", &run.metadata);
    if attempts.len() > 1 || attempts.iter().any(|attempt| attempt.error.is_some()) {
        card.attempts(attempts, now);
    }
    card.text
}

/// `10.0 s, ×2 with each attempt up to 5 min 0 s`.
fn retry_words(wait: RetryWait) -> String {
    let seconds = |seconds| span(SignedDuration::try_from_secs_f64(seconds).unwrap_or_default());
    let base = seconds(wait.base_seconds);
    if wait.factor <= 1 || wait.cap_seconds <= wait.base_seconds {
        return base;
    }
    format!("{base}, ×{} with each attempt up to {}", wait.factor, seconds(wait.cap_seconds))
}

fn slot_words(slot: Timestamp) -> String {
    slot.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// `3 pages, 120 tokens`.
fn used(run: &Run) -> Option<String> {
    let units = run.usage.as_ref().filter(|units| !units.is_empty())?;
    let words: Vec<String> = units.iter().map(|(unit, amount)| format!("{} {unit}", super::grouped(*amount))).collect();
    Some(words.join(", "))
}

struct Card {
    text: String,
    paint: Paint,
}

impl Card {
    fn line(&mut self, name: &str, words: &str) {
        let name = self.paint.quiet(&format!("{name:<11}"));
        let _ = writeln!(self.text, "  {name}{}", plain(words));
    }

    fn maybe(&mut self, name: &str, words: Option<&str>) {
        if let Some(words) = words {
            self.line(name, words);
        }
    }

    fn time(&mut self, name: &str, at: Option<Timestamp>, now: Timestamp) {
        let words = at.map(|at| format!("{} ({})", ago(at, now), at.strftime("%Y-%m-%d %H:%M:%S UTC")));
        self.maybe(name, words.as_deref());
    }

    fn json(&mut self, name: &str, value: &Doc) {
        if !value.is_null() {
            self.line(name, &value.to_string());
        }
    }

    fn attempts(&mut self, attempts: &[Attempt], now: Timestamp) {
        self.text.push('\n');
        let mut table = super::Table::new(&["attempt", "ended", "host", "started", "took", "error"]);
        for attempt in attempts {
            let took = attempt.started_at.map(|from| span(attempt.finished_at.unwrap_or(now).duration_since(from)));
            table.add(vec![
                Cell::number(attempt.number),
                attempt.status.as_deref().map_or_else(|| Cell::of("–"), Cell::status),
                Cell::maybe(attempt.host.as_ref()),
                Cell::maybe(attempt.started_at.map(|at| ago(at, now))),
                Cell::maybe(took),
                Cell::of(attempt.error.as_ref().map_or(String::new(), |error| short(&error.message, 80))),
            ]);
        }
        self.text.push_str(&table.render(self.paint));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_policy_of_its_own_is_said_in_words() {
        let words = |base_seconds, factor, cap_seconds| retry_words(RetryWait { base_seconds, factor, cap_seconds });
        assert_eq!(words(10.0, 2, 300.0), "10.0 s, ×2 with each attempt up to 5 min 0 s");
        assert_eq!(words(0.25, 1, 60.0), "250 ms");
        assert_eq!(words(90.0, 3, 90.0), "1 min 30 s");
    }

    #[test]
    fn a_scheduled_run_shows_its_slot_and_what_it_used_up() {
        let run = Run {
            schedule_id: Some("s".into()),
            slot: "2026-11-16T01:30:00Z".parse().ok(),
            usage: Some([("tokens".to_owned(), 1200), ("pages".to_owned(), 3)].into()),
            ..Run::default()
        };
        let card = card(&run, &[], Paint::none(), Timestamp::UNIX_EPOCH);
        assert!(card.contains("  schedule   s\n  slot       2026-11-16 01:30:00 UTC\n"), "{card}");
        assert!(card.contains("  usage      3 pages, 1,200 tokens\n"), "{card}");
    }
}
