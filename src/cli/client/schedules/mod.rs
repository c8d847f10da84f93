//! `runlane schedules`: work that is done again and again; made, shown, steered, looked ahead and back on.

mod apply;
mod body;
mod history;
mod preview;
mod render;
mod source;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use reqwest::Method;

use super::doc::Doc;
use super::problem::ApiError;
use super::remote::{Extra, Remote, RemoteArgs, with_full_id};
use super::render::{Paint, Table, now, plain};
use super::{exit, print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
#[command(after_help = "\
Examples:
  runlane schedules create --task report --cron '30 2 * * *' --timezone Europe/Berlin
  runlane schedules create --task sync --every 15m --overlap replace
  runlane schedules preview --cron '30 2 * * *' --timezone Europe/Berlin   # needs no server
  runlane schedules apply schedules.toml --dry-run
  runlane schedules trigger 'nightly report'")]
pub(in crate::cli) struct SchedulesArgs {
    #[command(subcommand)]
    verb: Option<SchedulesVerb>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum SchedulesVerb {
    /// List schedules, newest first (the default)
    List,
    /// Show all details of a schedule
    Show(Id),
    /// Create a schedule
    Create(Box<body::CreateArgs>),
    /// Create or update schedules from a file; applying it again changes nothing
    Apply(apply::ApplyArgs),
    /// Change the given fields of a schedule
    Edit(Box<body::EditArgs>),
    /// Delete a schedule and its waiting run; runs that have started continue
    Delete {
        #[command(flatten)]
        which: Id,
        /// Succeed even if there is no such schedule
        #[arg(long)]
        if_exists: bool,
    },
    /// Stop starting its runs until it is resumed; runs that have started continue
    Pause(Id),
    /// Resume a schedule with its next future slot
    Resume(Id),
    /// Submit a run of it now, apart from any slot
    Trigger(Id),
    /// Show the next slots of a schedule, or of --cron, --every or --at
    Preview(preview::PreviewArgs),
    /// List what became of its slots: runs and skipped slots
    Runs(history::RunsArgs),
}

#[derive(Args)]
struct Id {
    /// The schedule's name or id
    #[arg(value_name = "NAME")]
    id: String,
}

pub(super) async fn schedules(args: SchedulesArgs) -> Result<ExitCode, Failure> {
    let json = args.remote.json;
    let verb = args.verb.unwrap_or(SchedulesVerb::List);
    // Looking ahead needs no server, unless it is on a schedule that only the server knows.
    if let SchedulesVerb::Preview(wanted) = verb {
        return preview::preview(&args.remote, wanted, json).await;
    }
    if let SchedulesVerb::Apply(wanted) = verb {
        return apply::apply(&args.remote, wanted, json).await;
    }
    let remote = args.remote.remote()?;
    match verb {
        SchedulesVerb::List => list(&remote, json).await,
        SchedulesVerb::Show(Id { id }) => shown(remote.get(&["schedules", &id]).await?, json),
        SchedulesVerb::Create(wanted) => {
            let body = with_full_id(&remote, wanted.body().map_err(exit::Usage)?, "grant_id", "grants").await?;
            told(remote.post(&["schedules"], Some(&body)).await?, json)
        }
        SchedulesVerb::Edit(wanted) => {
            let body = with_full_id(&remote, wanted.body().map_err(exit::Usage)?, "grant_id", "grants").await?;
            let extra = Extra { body: Some(&body), ..Extra::default() };
            changed(remote.change(Method::PATCH, &["schedules", &wanted.id], extra).await?, "already up to date", json)
        }
        SchedulesVerb::Delete { which: Id { id }, if_exists } => delete(&remote, &id, if_exists, json).await,
        SchedulesVerb::Pause(Id { id }) => steered(&remote, &id, "pause", json).await,
        SchedulesVerb::Resume(Id { id }) => steered(&remote, &id, "resume", json).await,
        SchedulesVerb::Trigger(Id { id }) => triggered(remote.post(&["schedules", &id, "trigger"], None).await?, json),
        SchedulesVerb::Runs(wanted) => history::runs(&remote, wanted, json).await,
        SchedulesVerb::Preview(_) | SchedulesVerb::Apply(_) => Ok(ExitCode::SUCCESS),
    }
}

async fn list(remote: &Remote, json: bool) -> Result<ExitCode, Failure> {
    let found = seen::all(remote, &["schedules"]).await?;
    if json {
        print_json(&found);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["id", "name", "task", "when", "next", "last", "state"]);
    for schedule in &found.data {
        table.add(render::row(&seen::read(schedule)?, now()));
    }
    say(&if table.is_empty() {
        "no schedules yet; `runlane schedules create` creates one\n".into()
    } else {
        table.render(Paint::for_stdout())
    });
    Ok(ExitCode::SUCCESS)
}

fn shown(answer: Doc, json: bool) -> Result<ExitCode, Failure> {
    if json {
        print_json(&answer);
    } else {
        say(&render::card(&seen::read(&answer)?, Paint::for_stdout(), now()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The id alone, for `id=$(runlane schedules create …)`; how it stands is for whoever watches.
fn told(answer: Doc, json: bool) -> Result<ExitCode, Failure> {
    if json {
        print_json(&answer);
    } else {
        let schedule: render::Schedule = seen::read(&answer)?;
        say(&format!("{}\n", plain(&schedule.id)));
        eprintln!("{}", render::told(&schedule, now()));
    }
    Ok(ExitCode::SUCCESS)
}

async fn delete(remote: &Remote, id: &str, if_exists: bool, json: bool) -> Result<ExitCode, Failure> {
    let words = match remote.call(Method::DELETE, &["schedules", id], Extra::default()).await {
        Ok(_) => format!("deleted schedule {}; its runs stay in the history\n", plain(id)),
        Err(ApiError::Refused(problem)) if if_exists && problem.code == "schedule_not_found" => {
            format!("there is no schedule {}\n", plain(id))
        }
        Err(error) => return Err(error.into()),
    };
    if json {
        print_json(&Doc::default());
    } else {
        say(&words);
    }
    Ok(ExitCode::SUCCESS)
}

async fn steered(remote: &Remote, id: &str, verb: &str, json: bool) -> Result<ExitCode, Failure> {
    let already = if verb == "pause" { "already disabled" } else { "already enabled" };
    changed(remote.change(Method::POST, &["schedules", id, verb], Extra::default()).await?, already, json)
}

/// A script that repeats itself is told that there was nothing to change.
fn changed((answer, changed): (Doc, bool), already: &str, json: bool) -> Result<ExitCode, Failure> {
    if !json && !changed {
        eprintln!("{already}");
    }
    told(answer, json)
}

fn triggered(answer: Doc, json: bool) -> Result<ExitCode, Failure> {
    if json {
        print_json(&answer);
    } else {
        let run: seen::Run = seen::read(&answer)?;
        let id = plain(&run.id);
        say(&format!("{id}\n"));
        eprintln!("{} in queue {}: follow it with `runlane logs -f {id}`", plain(&run.status), plain(&run.queue));
    }
    Ok(ExitCode::SUCCESS)
}
