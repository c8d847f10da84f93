//! `runlane logs`: what a run has said, and with `-f` what it goes on to say.

mod follow;
mod line;

use std::process::ExitCode;

use clap::Args;

use super::doc::Doc;
use super::remote::{Remote, RemoteArgs};
use super::render::Paint;
use super::{say, seen};
use crate::cli::Failure;

/// How many events are asked for at a time.
const PAGE: usize = 1000;

#[derive(Args)]
pub(in crate::cli) struct LogsArgs {
    /// The run's id
    id: String,
    /// Follow the output until the run ends, reconnecting if necessary
    #[arg(long, short)]
    follow: bool,
    /// Show when the program wrote each line, by the clock of its host
    #[arg(long, short = 't')]
    timestamps: bool,
    #[command(flatten)]
    pub(super) remote: RemoteArgs,
}

/// How events are printed.
struct Printer {
    json: bool,
    timestamps: bool,
    paint: Paint,
    /// Whose events were printed last.
    attempt: u32,
}

impl Printer {
    /// JSON is one event a line, so that a stream of it can be read as it comes.
    fn print(&mut self, event: &Doc) -> Result<(), Failure> {
        if self.json {
            say(&format!("{event}\n"));
            return Ok(());
        }
        let event: seen::Event = seen::read(event)?;
        // Most runs need one attempt only, which goes without saying.
        if event.attempt != self.attempt && event.attempt > 1 {
            say(&line::attempt(event.attempt, self.paint));
        }
        self.attempt = event.attempt;
        say(&line::of(&event, self.timestamps, self.paint));
        Ok(())
    }
}

pub(super) async fn logs(args: LogsArgs) -> Result<ExitCode, Failure> {
    let remote = args.remote.remote()?;
    let (json, paint) = (args.remote.json, Paint::for_stdout());
    let mut printer = Printer { json, timestamps: args.timestamps, paint, attempt: 0 };
    if args.follow {
        return follow::follow(&remote, &args.id, printer).await;
    }
    let said = all(&remote, &args.id, &mut printer).await?;
    if said == 0 && !printer.json {
        let run: seen::Run = seen::read(&remote.get(&["runs", &args.id]).await?)?;
        eprintln!("the run is {} and has no output", run.status);
    }
    Ok(ExitCode::SUCCESS)
}

async fn all(remote: &Remote, id: &str, printer: &mut Printer) -> Result<u64, Failure> {
    let (mut said, mut after) = (0, None::<String>);
    loop {
        let mut query = vec![("limit", PAGE.to_string())];
        query.extend(after.map(|seq| ("after", seq)));
        let page = remote.find(&["runs", id, "events"], &query).await?;
        let page: seen::Page<Doc> = seen::read(&page)?;
        for event in page.data {
            printer.print(&event)?;
            said += 1;
        }
        after = page.next_cursor;
        if after.is_none() {
            return Ok(said);
        }
    }
}
