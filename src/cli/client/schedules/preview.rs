//! `runlane schedules preview`: the slots to come, by the clock on the wall and in UTC.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use runlane::actions::{TimingRequest, plan_timing};
use runlane::http::dto::{Preview, Slot};
use runlane::schedule::{Dst, Fold, Gap, preview as look_ahead};
use serde::Deserialize;

use super::body::When;
use crate::cli::Failure;
use crate::cli::client::doc::Doc;
use crate::cli::client::remote::RemoteArgs;
use crate::cli::client::render::{Cell, Paint, Table, now, plain};
use crate::cli::client::{args, exit, print_json, say, seen};

#[derive(Args)]
pub(super) struct PreviewArgs {
    /// The schedule's name or id; without it, give --cron, --every or --at
    #[arg(value_name = "NAME", conflicts_with_all = ["cron", "timezone", "every", "at"])]
    id: Option<String>,
    #[command(flatten)]
    when: When,
    /// Show only slots after this time
    #[arg(long, value_name = "TIME", value_parser = args::instant)]
    from: Option<Timestamp>,
    /// Number of slots
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    count: u16,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Seen {
    slot: Option<Timestamp>,
    local: String,
    note: Option<String>,
}

pub(super) async fn preview(remote: &RemoteArgs, wanted: PreviewArgs, json: bool) -> Result<ExitCode, Failure> {
    let answer = match &wanted.id {
        Some(id) => {
            let mut query = vec![("count", wanted.count.to_string())];
            query.extend(wanted.from.map(|from| ("from", from.to_string())));
            remote.remote()?.find(&["schedules", id, "preview"], &query).await?
        }
        None => Doc::of(&here(&wanted)?),
    };
    if json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["local", "utc", "note"]);
    for slot in seen::list::<Seen>(&answer)? {
        let utc = slot.slot.map(|at| at.strftime("%Y-%m-%d %H:%M:%S").to_string());
        table.add(vec![Cell::of(weekday(&slot)), Cell::maybe(utc), Cell::of(slot.note.unwrap_or_default()).warn()]);
    }
    say(&if table.is_empty() { "no future slots\n".into() } else { table.render(Paint::for_stdout()) });
    Ok(ExitCode::SUCCESS)
}

/// The same answer as the server's, made here.
fn here(wanted: &PreviewArgs) -> Result<Preview, exit::Usage> {
    let when = &wanted.when;
    let gap = if when.dst_gap.as_deref() == Some("skip") { Gap::Skip } else { Gap::After };
    let overlap = match when.dst_overlap.as_deref() {
        Some("second") => Fold::Second,
        Some("both") => Fold::Both,
        _ => Fold::First,
    };
    if when.every == Some(0) {
        return Err(exit::Usage("--every must be at least 1 second; write 15m or 1h30m".into()));
    }
    let changed = when.dst_gap.is_some() || when.dst_overlap.is_some();
    let request = TimingRequest {
        cron: when.cron.clone(),
        timezone: when.timezone.clone(),
        dst: changed.then_some(Dst { gap, overlap }),
        every_seconds: when.every.and_then(std::num::NonZeroU32::new),
        starts_at: when.starts_at,
        at: when.at,
    };
    let from = wanted.from.unwrap_or_else(now);
    let timing = plan_timing(&request, from, from)
        .map_err(|refusal| exit::Usage(format!("{}\n  hint: {}", refusal.reason, in_options(&refusal.hint))))?;
    let slots = look_ahead(&timing, from, wanted.count.into());
    Ok(Preview { data: slots.into_iter().map(Slot::from).collect() })
}

/// The API's fields are options here.
fn in_options(hint: &str) -> String {
    hint.replace("cron, every_seconds and at", "--cron, --every and --at").replace("every_seconds", "--every")
}

/// `Mon 2026-11-16 02:30 +01:00`.
fn weekday(slot: &Seen) -> String {
    let Some((date, rest)) = slot.local.split_once('T') else { return plain(&slot.local) };
    let day = date.parse::<jiff::civil::Date>().map(|date| format!("{} ", date.strftime("%a"))).unwrap_or_default();
    let (time, offset) = rest.split_at_checked(8).unwrap_or((rest, ""));
    plain(&format!("{day}{date} {time} {offset}"))
}
