//! What the process says while it works, on standard error.

use tracing_subscriber::EnvFilter;

use super::settings::{Effective, LOG, LOG_FORMAT, LogFormat};

/// Begins to say it. Called once.
pub(super) fn start(settings: &Effective) {
    let filter = EnvFilter::builder().parse_lossy(settings.value(&LOG));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let builder = builder.with_ansi(is_terminal && std::env::var_os("NO_COLOR").is_none());
    match settings.value(&LOG_FORMAT) {
        LogFormat::Pretty => builder.init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
}
