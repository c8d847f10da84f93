//! The body of a schedule, from what the command line says.

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::cli::client::args::{self, json as read_json};
use crate::cli::client::batch::Body;
use crate::cli::client::doc::Doc;
use crate::cli::client::grants::Terms;

/// When it is due.
#[derive(Args, Default)]
#[command(next_help_heading = "When")]
pub(super) struct When {
    /// Whenever the clock on the wall suits this ('30 2 * * *', @daily)
    #[arg(long, value_name = "EXPRESSION")]
    pub(super) cron: Option<String>,
    /// Whose clock (Europe/Berlin); UTC without it
    #[arg(long, value_name = "ZONE")]
    pub(super) timezone: Option<String>,
    /// Times the clock skips: due right after the gap, or not at all
    #[arg(long, value_name = "RULE", value_parser = ["after", "skip"])]
    pub(super) dst_gap: Option<String>,
    /// Times the clock shows twice: due the first time, the second, or both
    #[arg(long, value_name = "RULE", value_parser = ["first", "second", "both"])]
    pub(super) dst_overlap: Option<String>,
    /// Again and again after this span (90, 15m, 1h30m)
    #[arg(long, value_name = "SPAN", value_parser = seconds, conflicts_with = "cron")]
    pub(super) every: Option<u32>,
    /// When the first of these is due
    #[arg(long, value_name = "TIME", value_parser = args::instant, requires = "every")]
    pub(super) starts_at: Option<Timestamp>,
    /// Once, at this time (2026-11-20T09:00:00Z)
    #[arg(long, value_name = "TIME", value_parser = args::instant, conflicts_with_all = ["cron", "every"])]
    pub(super) at: Option<Timestamp>,
}

/// What is to be done.
#[derive(Args, Default)]
struct What {
    /// What people call it; the task without it
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The input of each run: JSON, @FILE, or - for standard input
    #[arg(long, short, value_name = "JSON")]
    payload: Option<String>,
    /// The stream its runs join
    #[arg(long, short, value_name = "NAME")]
    queue: Option<String>,
    /// A serial key for its runs
    #[arg(long, short, value_name = "NAME")]
    lane: Option<String>,
    /// −1000 to 1000; high goes first
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i32>,
    /// How often each run is tried
    #[arg(long, value_name = "N")]
    max_attempts: Option<u16>,
    /// How long one attempt may take (90, 5m)
    #[arg(long, value_name = "SPAN", value_parser = seconds)]
    timeout: Option<u32>,
    /// Notes of yours on every run: JSON, or @FILE
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// What happens when it is due and the run before has not ended: skip the slot, run both, or cancel the one before
    #[arg(long, value_name = "POLICY", value_parser = ["forbid", "allow", "replace"])]
    overlap: Option<String>,
    /// How many missed slots are made up for at most
    #[arg(long, value_name = "N")]
    catch_up: Option<u16>,
    /// How late a run may start at most (5m)
    #[arg(long, value_name = "SPAN", value_parser = seconds)]
    deadline: Option<u32>,
    /// By how much a slot's run may be put off (30, 5m)
    #[arg(long, value_name = "SPAN", value_parser = seconds)]
    jitter: Option<u32>,
    /// Run under this grant
    #[arg(long, value_name = "ID", conflicts_with_all = ["user", "account", "scope", "expires"])]
    grant: Option<String>,
}

#[derive(Args)]
pub(super) struct CreateArgs {
    /// The kind of work
    #[arg(long, short, value_name = "NAME")]
    task: String,
    #[command(flatten)]
    when: When,
    #[command(flatten)]
    what: What,
    /// Make it paused; `schedules resume` lets it go
    #[arg(long)]
    paused: bool,
    #[command(flatten)]
    terms: Terms,
}

#[derive(Args)]
pub(super) struct EditArgs {
    /// The schedule's id
    pub(super) id: String,
    /// The kind of work
    #[arg(long, short, value_name = "NAME")]
    task: Option<String>,
    #[command(flatten)]
    when: When,
    #[command(flatten)]
    what: What,
    /// Go back to what this is without being given (lane, timeout_seconds, …); as often as needed
    #[arg(long, value_name = "FIELD")]
    unset: Vec<String>,
    #[command(flatten)]
    terms: Terms,
}

impl CreateArgs {
    pub(super) fn body(&self) -> Result<Doc, String> {
        let mut body = Body::new();
        set(&mut body, "task", Some(&self.task));
        set(&mut body, "enabled", self.paused.then_some(false));
        self.when.write(&mut body)?;
        self.what.write(&mut body)?;
        set(&mut body, "grant", self.terms.given()?);
        Ok(Doc::of(&body))
    }
}

impl EditArgs {
    pub(super) fn body(&self) -> Result<Doc, String> {
        let mut body = Body::new();
        set(&mut body, "task", self.task.as_ref());
        for field in &self.unset {
            body.insert(field.clone(), Doc::default());
        }
        self.when.write(&mut body)?;
        self.what.write(&mut body)?;
        set(&mut body, "grant", self.terms.given()?);
        if body.is_empty() {
            return Err("nothing to change; `runlane schedules edit --help` lists what can be".into());
        }
        Ok(Doc::of(&body))
    }
}

impl When {
    pub(super) fn write(&self, body: &mut Body) -> Result<(), String> {
        set(body, "cron", self.cron.as_ref());
        set(body, "timezone", self.timezone.as_ref());
        if self.dst_gap.is_some() || self.dst_overlap.is_some() {
            let mut dst = Body::new();
            set(&mut dst, "gap", self.dst_gap.as_ref());
            set(&mut dst, "overlap", self.dst_overlap.as_ref());
            set(body, "dst", Some(dst));
        }
        set(body, "every_seconds", self.every);
        set(body, "starts_at", self.starts_at.map(|at| at.to_string()));
        set(body, "at", self.at.map(|at| at.to_string()));
        Ok(())
    }
}

impl What {
    fn write(&self, body: &mut Body) -> Result<(), String> {
        set(body, "name", self.name.as_ref());
        set(body, "payload", self.payload.as_ref().map(|text| read_json("the payload", text)).transpose()?);
        set(body, "queue", self.queue.as_ref());
        set(body, "lane", self.lane.as_ref());
        set(body, "priority", self.priority);
        set(body, "max_attempts", self.max_attempts);
        set(body, "timeout_seconds", self.timeout);
        set(body, "metadata", self.metadata.as_ref().map(|text| read_json("the metadata", text)).transpose()?);
        set(body, "overlap", self.overlap.as_ref());
        set(body, "catch_up_limit", self.catch_up);
        set(body, "starting_deadline_seconds", self.deadline);
        set(body, "jitter_seconds", self.jitter);
        set(body, "grant_id", self.grant.as_ref());
        Ok(())
    }
}

/// Only what was given: what is left out is for the server, and the task's settings, to decide.
fn set(body: &mut Body, name: &str, value: Option<impl Serialize>) {
    if let Some(value) = value {
        body.insert(name.to_owned(), Doc::of(&value));
    }
}

/// A span of whole seconds.
fn seconds(text: &str) -> Result<u32, String> {
    let span: SignedDuration = args::duration(text)?;
    match u32::try_from(span.as_secs()) {
        Ok(whole) if span.subsec_nanos() == 0 => Ok(whole),
        _ => Err(format!("{text:?} is not a number of whole seconds; write 90, 5m or 1h30m")),
    }
}
