//! The verbs that talk to a server: what people type to submit, watch and steer runs.
//!
//! Each verb is a file (or a folder) with its arguments and what it does; `remote` asks the server, `seen` is what its
//! answers are read into, `render` how they look.

mod args;
mod audit;
mod batch;
mod bench;
mod completions;
mod doc;
mod doctor;
mod exit;
mod explain;
mod grants;
mod lanes;
mod limit;
mod logs;
mod problem;
mod queues;
mod remote;
mod render;
mod retry;
mod runs;
mod schedules;
mod seen;
mod sse;
mod submit;
mod tasks;
mod tokens;
mod top;
mod usage;
mod workers;
mod workspaces;

use std::process::ExitCode;

use clap::Subcommand;

use self::problem::ApiError;
use super::Failure;

pub(super) use self::exit::{HELP, of_failure};
pub(super) use self::remote::LeadingArgs;

#[derive(Subcommand)]
pub(super) enum ClientVerb {
    /// Submit a run, or many from a file
    Submit(Box<submit::SubmitArgs>),
    /// List, show and control runs
    Runs(runs::RunsArgs),
    /// Show a run's output; -f follows it
    Logs(logs::LogsArgs),
    /// Explain why a run is not starting, and what would start it
    Explain(explain::ExplainArgs),
    /// List, pause, resume and limit queues
    Queues(queues::QueuesArgs),
    /// List and release lanes, and set what a failure does
    Lanes(lanes::LanesArgs),
    /// Create, list, control and preview schedules, and show their history
    Schedules(schedules::SchedulesArgs),
    /// Create, list and revoke grants, the permissions of scheduled runs
    Grants(grants::GrantsArgs),
    /// Sum up what runs used, by billing account
    Usage(usage::UsageArgs),
    /// List the tasks that the server knows
    Tasks(tasks::TasksArgs),
    /// List and drain workers
    Workers(workers::WorkersArgs),
    /// List and create workspaces
    Workspaces(workspaces::WorkspacesArgs),
    /// List, create and revoke tokens
    Tokens(tokens::TokensArgs),
    /// List who did what: the audit log
    Audit(audit::AuditArgs),
    /// Watch queues, workers and runs, live
    Top(top::TopArgs),
    /// Measure how fast a server accepts and executes runs
    Bench(bench::BenchArgs),
    /// Check database, server, workers and machine, and say what to do
    Doctor(doctor::DoctorArgs),
    /// Print completions for a shell
    Completions(completions::CompletionsArgs),
}

/// Carries out what is asked. Where JSON is wanted, a refusal is JSON too.
pub(super) async fn run(verb: ClientVerb) -> Result<ExitCode, Failure> {
    let json = verb.wants_json();
    let done = match verb {
        ClientVerb::Submit(args) => submit::submit(*args).await,
        ClientVerb::Runs(args) => runs::runs(args).await,
        ClientVerb::Logs(args) => logs::logs(args).await,
        ClientVerb::Explain(args) => explain::explain(args).await,
        ClientVerb::Queues(args) => queues::queues(args).await,
        ClientVerb::Lanes(args) => lanes::lanes(args).await,
        ClientVerb::Schedules(args) => schedules::schedules(args).await,
        ClientVerb::Grants(args) => grants::grants(args).await,
        ClientVerb::Usage(args) => usage::usage(args).await,
        ClientVerb::Workers(args) => workers::workers(args).await,
        ClientVerb::Workspaces(args) => workspaces::workspaces(args).await,
        ClientVerb::Tokens(args) => tokens::tokens(args).await,
        ClientVerb::Audit(args) => audit::audit(args).await,
        ClientVerb::Tasks(args) => tasks::tasks(args).await,
        ClientVerb::Top(args) => top::top(args).await,
        ClientVerb::Bench(args) => bench::bench(args).await,
        ClientVerb::Doctor(args) => doctor::doctor(args).await,
        ClientVerb::Completions(args) => completions::completions(args),
    };
    done.inspect_err(|failure| {
        if let Some(problem) = failure.downcast_ref::<ApiError>().and_then(ApiError::problem)
            && json
        {
            print_json(&problem.document);
        }
    })
}

impl ClientVerb {
    pub(super) fn asks_a_server(&self) -> bool {
        !matches!(self, ClientVerb::Completions(_))
    }

    fn wants_json(&self) -> bool {
        match self {
            ClientVerb::Submit(args) => args.remote.json,
            ClientVerb::Runs(args) => args.remote.json,
            ClientVerb::Logs(args) => args.remote.json,
            ClientVerb::Explain(args) => args.remote.json,
            ClientVerb::Queues(args) => args.remote.json,
            ClientVerb::Lanes(args) => args.remote.json,
            ClientVerb::Schedules(args) => args.remote.json,
            ClientVerb::Grants(args) => args.remote.json,
            ClientVerb::Usage(args) => args.remote.json,
            ClientVerb::Workers(args) => args.remote.json,
            ClientVerb::Workspaces(args) => args.remote.json,
            ClientVerb::Tokens(args) => args.remote.json,
            ClientVerb::Audit(args) => args.remote.json,
            ClientVerb::Tasks(args) => args.remote.json,
            ClientVerb::Top(args) => args.remote.json,
            ClientVerb::Bench(args) => args.remote.json,
            ClientVerb::Doctor(args) => args.remote.json,
            ClientVerb::Completions(_) => false,
        }
    }
}

/// Prints one document.
fn print_json(value: &impl serde::Serialize) {
    say(&format!("{}\n", doc::Doc::of(value).indented()));
}

/// Writes to standard output. Whoever reads it may have seen enough (`| head`): that ends the process, quietly.
fn say(text: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
