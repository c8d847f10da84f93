//! The body of a schedule, from what the command line says.

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::cli::client::args::{self, json as read_json};
use crate::cli::client::batch::Body;
use crate::cli::client::doc::Doc;
use crate::cli::client::grants::Terms;
use crate::cli::client::retry::RetryArgs;

/// When it is due.
#[derive(Args, Default)]
#[command(next_help_heading = "When")]
pub(super) struct When {
    /// Cron expression in local time ('30 2 * * *', @daily)
    #[arg(long, value_name = "EXPRESSION")]
    pub(super) cron: Option<String>,
    /// Time zone of the expression (Europe/Berlin); default: UTC
    #[arg(long, value_name = "ZONE")]
    pub(super) timezone: Option<String>,
    /// When a clock change skips the time: run right after the gap, or skip the slot
    #[arg(long, value_name = "RULE", value_parser = ["after", "skip"])]
    pub(super) dst_gap: Option<String>,
    /// When a clock change repeats the time: run the first time, the second time, or both
    #[arg(long, value_name = "RULE", value_parser = ["first", "second", "both"])]
    pub(super) dst_overlap: Option<String>,
    /// Fixed interval (90, 15m, 1h30m)
    #[arg(long, value_name = "DURATION", value_parser = seconds, conflicts_with = "cron")]
    pub(super) every: Option<u32>,
    /// First slot of the interval
    #[arg(long, value_name = "TIME", value_parser = args::instant, requires = "every")]
    pub(super) starts_at: Option<Timestamp>,
    /// Run once, at this time (2026-11-20T09:00:00Z)
    #[arg(long, value_name = "TIME", value_parser = args::instant, conflicts_with_all = ["cron", "every"])]
    pub(super) at: Option<Timestamp>,
}

/// What is to be done.
#[derive(Args, Default)]
struct What {
    /// Name of the schedule, unique in its workspace; default: the task's name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Payload of each run: JSON, @FILE, or - for standard input
    #[arg(long, short, value_name = "JSON")]
    payload: Option<String>,
    /// Queue of its runs
    #[arg(long, short, value_name = "NAME")]
    queue: Option<String>,
    /// Lane of its runs: runs of one lane execute one at a time, in order
    #[arg(long, short, value_name = "NAME")]
    lane: Option<String>,
    /// Priority from -1000 to 1000; higher runs first
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i32>,
    /// Number of attempts of each run
    #[arg(long, value_name = "N")]
    max_attempts: Option<u16>,
    /// Time limit of one attempt (90, 5m)
    #[arg(long, value_name = "DURATION", value_parser = seconds)]
    timeout: Option<u32>,
    #[command(flatten)]
    retry: RetryArgs,
    /// Metadata for every run: JSON, or @FILE
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// What to do if the previous run has not ended: skip the slot, run both, or cancel the previous run
    #[arg(long, value_name = "POLICY", value_parser = ["forbid", "allow", "replace"])]
    overlap: Option<String>,
    /// Maximum number of missed slots to catch up on
    #[arg(long, value_name = "N")]
    catch_up: Option<u16>,
    /// Cancel a run that has not begun so long after it is due (5m)
    #[arg(long, value_name = "DURATION", value_parser = seconds)]
    start_within: Option<u32>,
    /// Delay each run by up to this much (30, 5m)
    #[arg(long, value_name = "DURATION", value_parser = seconds)]
    jitter: Option<u32>,
    /// Use this grant
    #[arg(long, value_name = "ID", conflicts_with_all = ["user", "account", "scope", "expires"])]
    grant: Option<String>,
}

#[derive(Args)]
pub(super) struct CreateArgs {
    /// Task to run
    #[arg(long, short, value_name = "NAME")]
    task: String,
    #[command(flatten)]
    when: When,
    #[command(flatten)]
    what: What,
    /// Create the schedule paused; `schedules resume` starts it
    #[arg(long)]
    paused: bool,
    #[command(flatten)]
    terms: Terms,
}

#[derive(Args)]
pub(super) struct EditArgs {
    /// The schedule's name or id
    #[arg(value_name = "NAME")]
    pub(super) id: String,
    /// Task to run
    #[arg(long, short, value_name = "NAME")]
    task: Option<String>,
    #[command(flatten)]
    when: When,
    #[command(flatten)]
    what: What,
    /// Reset a field to its default (lane, timeout_seconds, …); can be repeated
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
        set(body, "retry", self.retry.policy());
        set(body, "metadata", self.metadata.as_ref().map(|text| read_json("the metadata", text)).transpose()?);
        set(body, "overlap", self.overlap.as_ref());
        set(body, "catch_up_limit", self.catch_up);
        set(body, "start_within_seconds", self.start_within);
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
