//! `runlane lanes`: list them, let held ones go on, say what they do on failure.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::json;

use super::doc::Doc;
use super::remote::{Extra, Remote, RemoteArgs};
use super::render::{Cell, Paint, Table, counted, grouped, plain};
use super::{print_json, say, seen};
use crate::cli::Failure;

#[derive(Args)]
pub(in crate::cli) struct LanesArgs {
    #[command(subcommand)]
    verb: Option<LanesVerb>,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

#[derive(Subcommand)]
enum LanesVerb {
    /// List the lanes that have live runs, holds or a policy (the default)
    List,
    /// Release a held lane, whichever runs hold it
    Release {
        /// The lane's name
        name: String,
    },
    /// Set what a lane does when one of its runs fails
    Policy {
        /// The lane's name
        name: String,
        /// Continue with the next run, or hold until the failed run is resumed or dismissed
        #[arg(value_parser = ["continue", "hold"])]
        policy: String,
    },
}

pub(super) async fn lanes(args: LanesArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    let json = args.remote.json;
    let (answer, words) = match args.verb.unwrap_or(LanesVerb::List) {
        LanesVerb::List => return list(&remote, json).await,
        LanesVerb::Release { name } => {
            let answer = remote.post(&["lanes", &name, "release"], None).await?;
            let words = released(&name, answer.field("released"));
            (answer, words)
        }
        LanesVerb::Policy { name, policy } => {
            let body = Doc::of(&json!({"policy": policy}));
            let extra = Extra { body: Some(&body), ..Extra::default() };
            let (answer, changed) = remote.change(Method::PATCH, &["lanes", &name], extra).await?;
            let already = if changed { "" } else { "already " };
            (answer, format!("lane {}: on failure, {already}{policy}", plain(&name)))
        }
    };
    if json {
        print_json(&answer);
    } else {
        say(&format!("{words}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn released(name: &str, holders: Option<u64>) -> String {
    match holders {
        Some(0) => format!("lane {} was not held", plain(name)),
        Some(number) => format!("released lane {}; {} held it", plain(name), counted(number, "run")),
        None => format!("released lane {}", plain(name)),
    }
}

async fn list(remote: &Remote, json: bool) -> Result<ExitCode, Failure> {
    let mut found = seen::Page::<Doc> { data: Vec::new(), next_cursor: None };
    loop {
        let query: Vec<_> = found.next_cursor.take().map(|cursor| ("cursor", cursor)).into_iter().collect();
        let page = remote.find(&["lanes"], &query).await?;
        let page: seen::Page<Doc> = seen::read(&page)?;
        found.data.extend(page.data);
        found.next_cursor = page.next_cursor;
        if found.next_cursor.is_none() {
            break;
        }
    }
    if json {
        print_json(&found);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["lane", "waiting", "on failure", "state", "run"]);
    for lane in &found.data {
        table.add(row(&seen::read(lane)?));
    }
    say(&if table.is_empty() {
        "no lane has live runs, holds or a policy\n".into()
    } else {
        table.render(Paint::for_stdout())
    });
    Ok(ExitCode::SUCCESS)
}

fn row(lane: &seen::Lane) -> Vec<Cell> {
    let (state, run) = match (lane.held_by.as_slice(), &lane.occupant) {
        ([], Some(run)) => (Cell::status("running"), run.clone()),
        ([], None) => (Cell::of("free"), String::new()),
        ([run], _) => (Cell::of("held").warn(), run.clone()),
        ([run, more @ ..], _) => (Cell::of("held").warn(), format!("{run} and {} more", more.len())),
    };
    vec![Cell::of(&lane.name), Cell::number(grouped(lane.waiting)), Cell::of(&lane.policy), state, Cell::of(run)]
}
