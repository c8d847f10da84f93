//! What the words of a setting mean, wherever they come from.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use runlane::run::{HostName, QueueName};
use runlane::worker::Served;

use super::parsed_file::alike;
use crate::cli::database::Database;

/// Who may use the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum AuthMode {
    /// `Authorization: Bearer rl_…`
    Tokens,
    /// No questions asked; refused on an address that others can reach.
    None,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum LogFormat {
    /// For people.
    Pretty,
    /// One JSON object a line.
    Json,
}

/// Where metrics are served, if they are.
pub(in crate::cli) type MetricsListen = Option<SocketAddr>;

/// The levels of log lines, from none to all.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// A bare word must be a level: the subscriber would take a misspelt one for the name of a module.
pub(super) fn log_filter(text: &str) -> Result<String, String> {
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let level = part.rsplit_once('=').map_or(part, |(_, level)| level).trim();
        let is_module = part.contains("::") && !part.contains('=');
        if is_module || part.contains('[') || LEVELS.contains(&level.to_lowercase().as_str()) {
            continue;
        }
        let meant = alike(level, &LEVELS).map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
        return Err(format!("{level:?} is not a level; write one of {}, or MODULE=LEVEL{meant}", LEVELS.join(", ")));
    }
    Ok(text.to_owned())
}

fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

pub(super) fn hosts(text: &str) -> Result<Vec<String>, String> {
    let host = |item: &str| match item.contains(['/', '@', '*']) || item.contains(char::is_whitespace) {
        true => Err(format!("{item:?} is not a host name; write runs.example or runs.example:8443")),
        false => Ok(item.to_owned()),
    };
    listed(text).map(host).collect()
}

pub(super) fn origins(text: &str) -> Result<Vec<String>, String> {
    let origin = |item: &str| {
        let host = item.strip_prefix("https://").or_else(|| item.strip_prefix("http://")).unwrap_or_default();
        match host.is_empty() || host.contains(['/', '@', '*']) || host.contains(char::is_whitespace) {
            true => Err(format!("{item:?} is not an origin; write https://app.example, without a path")),
            false => Ok(item.to_owned()),
        }
    };
    listed(text).map(origin).collect()
}

pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("is empty".into()) } else { Ok(text.into()) }
}

pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is not a whole number, 0 or more"))
}

/// More slots than that are a slip of the finger.
const MOST_SLOTS: usize = 100_000;

pub(super) fn slots(text: &str) -> Result<usize, String> {
    let slots = whole(text)?;
    if slots > MOST_SLOTS {
        Err(format!("{text} is too many; give a number from 0 to {MOST_SLOTS}"))
    } else {
        Ok(slots)
    }
}

pub(super) fn whole_above_zero<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is not a whole number above 0"))
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{text} s is negative or too long"))
}

pub(super) fn seconds_above_zero(text: &str) -> Result<Duration, String> {
    match seconds(text)? {
        Duration::ZERO => Err("must be longer than 0".into()),
        length => Ok(length),
    }
}

pub(super) fn days(text: &str) -> Result<Duration, String> {
    let days: f64 = text.parse().map_err(|_| format!("{text:?} is not a number of days"))?;
    let length =
        Duration::try_from_secs_f64(days * 86_400.0).map_err(|_| format!("{text} days is negative or too long"))?;
    // Longer than anything is kept; more could not be counted back from today.
    match length > Duration::from_secs(1000 * 366 * 86_400) {
        true => Err(format!("{text} days are more than a thousand years")),
        false => Ok(length),
    }
}

pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| format!("{text:?} is not ADDR:PORT, as in 127.0.0.1:8080"))
}

pub(super) fn metrics_listen(text: &str) -> Result<MetricsListen, String> {
    match text {
        "off" => Ok(None),
        text => text.parse().map(Some).map_err(|_| format!("{text:?} is neither ADDR:PORT nor off")),
    }
}

pub(super) fn host(text: &str) -> Result<HostName, String> {
    HostName::parse(text).map_err(|error| error.to_string())
}

/// The text itself, which is understood where it is used.
pub(super) fn database(text: &str) -> Result<String, String> {
    Database::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

pub(super) fn auth(text: &str) -> Result<AuthMode, String> {
    match text {
        "tokens" => Ok(AuthMode::Tokens),
        "none" => Ok(AuthMode::None),
        _ => Err(format!("{text:?} is neither tokens nor none")),
    }
}

pub(super) fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "pretty" => Ok(LogFormat::Pretty),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("{text:?} is neither pretty nor json")),
    }
}

pub(super) fn queues(text: &str) -> Result<Vec<Served>, String> {
    text.split(',').filter(|name| !name.trim().is_empty()).map(|name| served(name.trim())).collect()
}

/// `name` or `name:limit`.
fn served(text: &str) -> Result<Served, String> {
    let (name, limit) = match text.rsplit_once(':') {
        Some((name, limit)) => (name, Some(limit)),
        None => (text, None),
    };
    let concurrency = limit.map(str::parse).transpose();
    let concurrency =
        concurrency.map_err(|_| format!("{text:?}: the limit of a queue is a number, as in reports:1"))?;
    if concurrency == Some(0) {
        return Err(format!("{text:?}: nothing of it would ever be executed; leave it out instead"));
    }
    Ok(Served { queue: QueueName::parse(name).map_err(|error| error.to_string())?, concurrency })
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("{text:?} is neither true nor false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_may_have_limits() {
        let served = queues("default, reports:1").expect("queues");
        assert_eq!(served.iter().map(|queue| queue.concurrency).collect::<Vec<_>>(), [None, Some(1)]);
        assert!(queues("a:x").expect_err("refused").contains("the limit of a queue is a number"));
        assert!(queues("a:0").expect_err("refused").contains("leave it out"));
        assert_eq!(queues(""), Ok(vec![]));
    }

    #[test]
    fn times_make_sense() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(seconds("-1").is_err() && seconds("soon").is_err() && seconds("NaN").is_err());
        assert!(seconds_above_zero("0").is_err());
        assert_eq!(days("0.5"), Ok(Duration::from_secs(43_200)));
        assert!(days("1e9").is_err());
    }
}
