//! What the process says while it works, on standard error.

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

#[derive(Args, Clone)]
pub(super) struct LogArgs {
    /// How log lines look
    #[arg(long, value_enum, default_value = "pretty", env = "RUNLANE_LOG_FORMAT")]
    log_format: Format,
    /// Which lines: a level, or more precisely as in `info,runlane::worker=debug`
    #[arg(long, value_name = "FILTER", default_value = "info", env = "RUNLANE_LOG")]
    log: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Pretty,
    /// One JSON object a line
    Json,
}

/// Begins to say it. Called once.
pub(super) fn start(args: &LogArgs) {
    let filter = EnvFilter::builder().parse_lossy(&args.log);
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let builder = builder.with_ansi(is_terminal && std::env::var_os("NO_COLOR").is_none());
    match args.log_format {
        Format::Pretty => builder.init(),
        Format::Json => builder.json().flatten_event(true).init(),
    }
}
