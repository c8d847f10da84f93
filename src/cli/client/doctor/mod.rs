//! `runlane doctor`: looks at everything a deployment depends on, and says what to do about what is wrong.

mod checks;
mod clock;
mod database;
mod facts;
mod machine;
mod report;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use self::facts::Facts;
use self::report::{Check, Level};
use super::exit;
use super::remote::RemoteArgs;
use super::render::{Paint, now};
use super::{print_json, say};
use crate::cli::Failure;
use crate::cli::database::DatabaseArgs;

#[derive(Args)]
#[command(after_help = "\
It changes nothing. Exit codes: 0 if no check failed (there may be warnings), 1 otherwise.")]
pub(in crate::cli) struct DoctorArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    /// Data directory of the workers on this machine
    #[arg(long, value_name = "DIR", env = "RUNLANE_DATA_DIR", default_value = ".runlane")]
    data_dir: PathBuf,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

pub(super) async fn doctor(args: DoctorArgs) -> Result<ExitCode, Failure> {
    let checks = examine(&args).await?;
    if args.remote.json {
        print_json(&report::as_json(&checks));
    } else {
        say(&report::as_text(&checks, Paint::for_stdout()));
    }
    let failed = checks.iter().any(|check| check.level == Level::Fail);
    Ok(if failed { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}

async fn examine(args: &DoctorArgs) -> Result<Vec<Check>, Failure> {
    let remote = args.remote.remote()?;
    let (server, asked) = server::check(&remote).await;
    let named = args.database.clone().database();
    let file = named.as_ref().ok().and_then(database::file);
    let (database, store) = database::check(named, asked.answers).await;
    let mut checks = vec![database, server];
    checks.extend(asked.clock);
    // The server may hold the database, as it does an SQLite file; and if it does not answer, the database still may.
    let gathered = match (&store, asked.answers) {
        (Some(store), _) => Some(Facts::of_store(store.as_ref()).await),
        (None, true) => Some(Facts::of_server(&remote).await),
        (None, false) => None,
    };
    match gathered {
        Some(Ok(facts)) => checks.extend(checks::of(&facts, now())),
        Some(Err(error)) => checks.push(Check::fail("runs", format!("cannot be read: {error}"), "see above")),
        None => {}
    }
    checks.extend(machine::disk("data", &args.data_dir));
    checks.extend(file.as_deref().and_then(|file| machine::disk("disk", file)));
    checks.extend(file.as_deref().and_then(machine::privacy));
    checks.push(machine::open_files());
    Ok(checks)
}
