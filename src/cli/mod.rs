//! The command line: reads what is asked, does it, and says what came of it.

#[cfg(all(feature = "api", feature = "worker", target_os = "linux"))]
mod catalog;
#[cfg(feature = "api")]
mod client;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod config;
mod database;
#[cfg(all(feature = "api", feature = "worker", target_os = "linux"))]
mod dev;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod engine;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod logs;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod metrics;
mod migrate;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod reload;
#[cfg(all(feature = "api", feature = "worker", target_os = "linux"))]
mod schedules;
#[cfg(all(feature = "api", feature = "worker", target_os = "linux"))]
mod serve;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod settings;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod signals;
mod usage;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod worker;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod worker_http;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::database::DatabaseArgs;

/// A durable execution queue on the database you have.
#[derive(Parser)]
#[command(name = "runlane", version, disable_help_subcommand = true)]
#[cfg_attr(feature = "api", command(after_help = client::HELP))]
struct Cli {
    #[cfg(feature = "api")]
    #[command(flatten)]
    leading: client::LeadingArgs,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
#[cfg_attr(feature = "api", expect(clippy::large_enum_variant, reason = "there is one, and it is used at once"))]
enum Verb {
    /// Migrate the database to the schema of this release
    Migrate(DatabaseArgs),
    /// Try Runlane out: API, worker and demo tasks in one process, on an SQLite file
    #[cfg(all(feature = "api", feature = "worker", target_os = "linux"))]
    Dev(dev::DevArgs),
    /// Serve the API and run a worker, in one process
    #[cfg(all(feature = "api", feature = "worker", target_os = "linux"))]
    Serve(Box<serve::ServeArgs>),
    /// Run a worker: claim and execute runs until told to stop
    #[cfg(all(feature = "worker", target_os = "linux"))]
    Worker(Box<worker::WorkerArgs>),
    /// Validate the configuration, show the effective settings, or print an example
    #[cfg(all(feature = "worker", target_os = "linux"))]
    Config(config::ConfigArgs),
    #[cfg(feature = "api")]
    #[command(flatten)]
    Client(client::ClientVerb),
}

/// What any verb may fail with.
type Failure = Box<dyn Error + Send + Sync>;

/// Carries out what the command line asks.
pub(crate) async fn main() -> ExitCode {
    let cli = usage::parse::<Cli>();
    #[cfg(feature = "api")]
    cli.refuse_leading_args_of_others();
    let done = match cli.verb {
        Verb::Migrate(args) => migrate::migrate(args).await.map(|()| ExitCode::SUCCESS),
        #[cfg(all(feature = "api", feature = "worker", target_os = "linux"))]
        Verb::Dev(args) => dev::dev(args).await,
        #[cfg(all(feature = "api", feature = "worker", target_os = "linux"))]
        Verb::Serve(args) => serve::serve(*args).await,
        #[cfg(all(feature = "worker", target_os = "linux"))]
        Verb::Worker(args) => worker::worker(*args).await,
        #[cfg(all(feature = "worker", target_os = "linux"))]
        Verb::Config(args) => config::config(args),
        #[cfg(feature = "api")]
        Verb::Client(verb) => client::run(verb).await,
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{}", in_words(failure.as_ref()));
            exit_code(failure.as_ref())
        }
    }
}

#[cfg(feature = "api")]
impl Cli {
    /// A command that asks no server would ignore them without a word.
    fn refuse_leading_args_of_others(&self) {
        let asks_a_server = matches!(&self.verb, Verb::Client(verb) if verb.asks_a_server());
        if let Some(option) = self.leading.first_given().filter(|_| !asks_a_server) {
            let words = format!("{option} is for commands that ask a server; this one does not take it\n");
            <Cli as clap::CommandFactory>::command().error(clap::error::ErrorKind::UnknownArgument, words).exit();
        }
    }
}

#[cfg(feature = "api")]
fn exit_code(failure: &(dyn Error + Send + Sync + 'static)) -> ExitCode {
    client::of_failure(failure)
}

#[cfg(not(feature = "api"))]
fn exit_code(_: &(dyn Error + Send + Sync + 'static)) -> ExitCode {
    ExitCode::FAILURE
}

/// The failure, and below it what caused it, one cause a line. A cause that only repeats the line above is left out.
fn in_words(failure: &dyn Error) -> String {
    let mut words = format!("error: {}", usage::without_os_codes(&failure.to_string()));
    let mut cause = failure.source();
    while let Some(error) = cause {
        let line = usage::without_os_codes(&error.to_string());
        if !words.ends_with(&line) {
            words.push_str(&format!("\n  because: {line}"));
        }
        cause = error.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Said(&'static str, #[source] Option<Box<Said>>);

    #[test]
    fn a_failure_is_told_with_its_causes_and_none_twice() {
        let root = Said("connection refused", None);
        let middle = Said("io: connection refused", Some(Box::new(root)));
        let failure = Said("cannot reach the database", Some(Box::new(middle)));
        assert_eq!(in_words(&failure), "error: cannot reach the database\n  because: io: connection refused");
    }

    #[test]
    fn the_command_line_is_put_together_well() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }
}
