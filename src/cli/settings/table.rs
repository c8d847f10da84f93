//! Every setting there is: its name, what it takes, its default and what it means. To add one, add it here.
//!
//! The flags, the variables of the environment, the keys of the file, `config show` and the table in
//! `docs/configuration.md` all follow from this list.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use runlane::run::HostName;
use runlane::worker::Served;

use super::parse::{self, AuthMode, LogFormat, MetricsListen};

/// A setting whose value is a `T`.
pub(in crate::cli) struct Setting<T> {
    pub(super) about: About,
    pub(super) parse: fn(&str) -> Result<T, String>,
}

/// What is to be known of a setting.
#[derive(Debug)]
pub(in crate::cli) struct About {
    /// In the file; with dashes as a flag, in capitals in the environment.
    pub(in crate::cli) name: &'static str,
    /// Other names for the same.
    pub(in crate::cli) also: &'static [&'static str],
    /// A table of the file and a key of it that say the same.
    pub(in crate::cli) within: Option<(&'static str, &'static str)>,
    /// Variables that say the same beside those named after it.
    pub(in crate::cli) variables: &'static [&'static str],
    pub(in crate::cli) takes: Takes,
    pub(in crate::cli) default: Option<&'static str>,
    /// What there is where nothing is said and there is no default.
    pub(in crate::cli) unset: &'static str,
    /// It may be said only to those who have it.
    pub(in crate::cli) is_secret: bool,
    pub(in crate::cli) part: Part,
    pub(in crate::cli) meaning: &'static str,
}

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Takes {
    /// Text; the word stands for it in `--help`.
    Text(&'static str),
    /// A whole number.
    Whole,
    /// A number that need not be whole.
    Number(&'static str),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// In a file an array, elsewhere with commas between.
    List,
    /// `true` or `false`.
    Switch,
}

/// Who goes by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Part {
    /// The API.
    Api,
    /// Whatever executes runs, and the maintenance passes beside it.
    Worker,
}

/// Any setting.
pub(in crate::cli) trait Known: Sync {
    fn about(&self) -> &About;

    /// What is wrong with a value.
    fn check(&self, text: &str) -> Result<(), String>;
}

impl<T> Known for Setting<T> {
    fn about(&self) -> &About {
        &self.about
    }

    fn check(&self, text: &str) -> Result<(), String> {
        (self.parse)(text).map(drop)
    }
}

impl About {
    const USUAL: Self = Self {
        name: "",
        also: &[],
        within: None,
        variables: &[],
        takes: Takes::Whole,
        default: None,
        unset: "none",
        is_secret: false,
        part: Part::Worker,
        meaning: "",
    };

    /// All its names in a file, the usual one first.
    pub(in crate::cli) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.also.iter().copied())
    }

    /// All its variables, the one that counts most first.
    pub(in crate::cli) fn all_variables(&self) -> impl Iterator<Item = String> {
        let named = self.names().map(|name| format!("RUNLANE_{}", name.to_uppercase()));
        named.chain(self.variables.iter().map(|name| (*name).to_owned()))
    }

    pub(in crate::cli) fn flag(&self) -> String {
        self.name.replace('_', "-")
    }
}

macro_rules! settings {
    ($($(#[doc = $meaning:literal])+ $constant:ident: $type:ty = $name:literal by $parse:expr, {
        $($field:ident: $value:expr),* $(,)?
    })+) => {
        $(
            $(#[doc = $meaning])+
            pub(in crate::cli) const $constant: Setting<$type> = Setting {
                about: About { name: $name, meaning: concat!($($meaning),+), $($field: $value,)* ..About::USUAL },
                parse: $parse,
            };
        )+

        /// All of them, in the order in which they are shown.
        pub(in crate::cli) static SETTINGS: &[&dyn Known] = &[$(&$constant),+];
    };
}

const SECONDS: Takes = Takes::Number("SECONDS");
const DAYS: Takes = Takes::Number("DAYS");

settings! {
    /// Where the runs are: `sqlite:PATH` or `postgres://…`
    DATABASE: String = "database" by parse::database, {
        takes: Takes::Text("URL"), variables: &["DATABASE_URL"], is_secret: true,
    }
    /// Where the files of running attempts are kept
    DATA_DIR: PathBuf = "data_dir" by parse::path, { takes: Takes::Text("DIR"), default: Some(".runlane") }
    /// Where the API listens
    LISTEN: SocketAddr = "listen" by parse::address, {
        takes: Takes::Text("ADDR:PORT"), default: Some("127.0.0.1:8080"), part: Part::Api,
    }
    /// Who may use the API: whoever has a token, or, only on this machine itself, everybody
    AUTH: AuthMode = "auth" by parse::auth, {
        takes: Takes::OneOf(&["tokens", "none"]), default: Some("tokens"), part: Part::Api,
    }
    /// The host names the API answers to, beside this machine's own; with tokens and without any named here: to all
    ALLOWED_HOSTS: Vec<String> = "allowed_hosts" by parse::hosts, {
        takes: Takes::List, unset: "none named", part: Part::Api,
    }
    /// The origins whose web pages may use the API, beside its own, as in `https://app.example`
    ALLOWED_ORIGINS: Vec<String> = "allowed_origins" by parse::origins, { takes: Takes::List, part: Part::Api }
    /// At most so many live runs; more are refused
    QUEUE_SIZE: u64 = "queue_size" by parse::whole, { unset: "no limit", part: Part::Api }
    /// Whether runs wait in a queue; if not, each is executed while its caller waits, or refused
    QUEUE_ENABLED: bool = "queue_enabled" by parse::switch, {
        takes: Takes::Switch, default: Some("true"), within: Some(("queue", "enabled")), part: Part::Api,
    }
    /// How many requests a second one token, or without tokens one address, may make
    RATE_LIMIT_PER_SECOND: NonZeroU32 = "rate_limit_per_second" by parse::whole_above_zero, {
        unset: "no limit", part: Part::Api,
    }
    /// How many of them may come at once
    RATE_LIMIT_BURST: NonZeroU32 = "rate_limit_burst" by parse::whole_above_zero, {
        unset: "as many as a second", part: Part::Api,
    }
    /// How many runs are executed at once; 0 in `serve`: none
    CONCURRENCY: usize = "concurrency" by parse::whole, { also: &["max_concurrency"], default: Some("2") }
    /// The queues to serve, each perhaps with a limit of its own, as in `reports:1`
    QUEUES: Vec<Served> = "queues" by parse::queues, { takes: Takes::List, unset: "all" }
    /// Whether the built-in tasks to try things out with are there, as in `dev`: `echo`, `sleep`, `fail` and others
    DEMO_TASKS: bool = "demo_tasks" by parse::switch, { takes: Takes::Switch, default: Some("false") }
    /// The name of this machine; workers of the same name and data directory adopt each other's programs
    HOST: HostName = "host" by parse::host, { takes: Takes::Text("NAME"), unset: "the machine's own" }
    /// How long an attempt may take if neither its run nor its task says so
    RUN_TIMEOUT_SECONDS: NonZeroU32 = "run_timeout_seconds" by parse::whole_above_zero, { unset: "no limit" }
    /// How often leases are renewed; a cancel or pause is seen within this
    HEARTBEAT_SECONDS: Duration = "heartbeat_seconds" by parse::seconds_above_zero, {
        takes: SECONDS, default: Some("2"),
    }
    /// How long a lease lasts without being renewed; at least three heartbeats
    LEASE_TTL_SECONDS: Duration = "lease_ttl_seconds" by parse::seconds_above_zero, {
        takes: SECONDS, default: Some("30"),
    }
    /// How long after a lease ended another machine may take its run over
    TAKEOVER_DELAY_SECONDS: Duration = "takeover_delay_seconds" by parse::seconds, {
        takes: SECONDS, default: Some("60"),
    }
    /// How long a stopping process waits for what is under way
    SHUTDOWN_GRACE_PERIOD_SECONDS: Duration = "shutdown_grace_period_seconds" by parse::seconds, {
        takes: SECONDS, default: Some("300"),
    }
    /// How long finished runs are kept, with their attempts and events
    HISTORY_DAYS: Duration = "history_days" by parse::days, { takes: DAYS, default: Some("30") }
    /// How long records of the audit log are kept
    AUDIT_DAYS: Duration = "audit_days" by parse::days, { takes: DAYS, default: Some("400") }
    /// How long it is kept what attempts used up
    USAGE_DAYS: Duration = "usage_days" by parse::days, { takes: DAYS, default: Some("400") }
    /// Where `worker` serves its metrics, or `off`
    METRICS_LISTEN: MetricsListen = "metrics_listen" by parse::metrics_listen, {
        takes: Takes::Text("ADDR:PORT"), default: Some("127.0.0.1:9091"),
    }
    /// How log lines look: for people, or one JSON object a line
    LOG_FORMAT: LogFormat = "log_format" by parse::log_format, {
        takes: Takes::OneOf(&["pretty", "json"]), default: Some("pretty"),
    }
    /// Which log lines: a level, or more precisely as in `info,runlane::worker=debug`
    LOG: String = "log" by parse::log_filter, { takes: Takes::Text("FILTER"), default: Some("info") }
}
