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
    /// The database: `sqlite:PATH` or `postgres://…`
    DATABASE: String = "database" by parse::database, {
        takes: Takes::Text("URL"), variables: &["DATABASE_URL"], is_secret: true,
    }
    /// Directory for the files of running attempts
    DATA_DIR: PathBuf = "data_dir" by parse::path, { takes: Takes::Text("DIR"), default: Some(".runlane") }
    /// Address on which the API listens
    LISTEN: SocketAddr = "listen" by parse::address, {
        takes: Takes::Text("ADDR:PORT"), default: Some("127.0.0.1:8080"), part: Part::Api,
    }
    /// Access control: `tokens`, or `none`, which is allowed only on a loopback address
    AUTH: AuthMode = "auth" by parse::auth, {
        takes: Takes::OneOf(&["tokens", "none"]), default: Some("tokens"), part: Part::Api,
    }
    /// Host names that the API accepts besides this machine's own; if unset and `auth` is `tokens`, it accepts any
    ALLOWED_HOSTS: Vec<String> = "allowed_hosts" by parse::hosts, {
        takes: Takes::List, unset: "none named", part: Part::Api,
    }
    /// Origins, besides its own, whose web pages may use the API, such as `https://app.example`
    ALLOWED_ORIGINS: Vec<String> = "allowed_origins" by parse::origins, { takes: Takes::List, part: Part::Api }
    /// Maximum number of live runs; further submissions are refused
    QUEUE_SIZE: u64 = "queue_size" by parse::whole, { unset: "no limit", part: Part::Api }
    /// Whether runs are queued; if not, each executes while its caller waits, or is refused
    QUEUE_ENABLED: bool = "queue_enabled" by parse::switch, {
        takes: Takes::Switch, default: Some("true"), within: Some(("queue", "enabled")), part: Part::Api,
    }
    /// Requests per second allowed for one token (with `auth` `none`, for one address)
    RATE_LIMIT_PER_SECOND: NonZeroU32 = "rate_limit_per_second" by parse::whole_above_zero, {
        unset: "no limit", part: Part::Api,
    }
    /// Requests allowed in one burst
    RATE_LIMIT_BURST: NonZeroU32 = "rate_limit_burst" by parse::whole_above_zero, {
        unset: "one second's worth", part: Part::Api,
    }
    /// Number of runs executed at once; 0 runs `serve` without a worker
    CONCURRENCY: usize = "concurrency" by parse::slots, { also: &["max_concurrency"], default: Some("2") }
    /// Queues to serve, each optionally with a limit within this worker, such as `reports:1`
    QUEUES: Vec<Served> = "queues" by parse::queues, { takes: Takes::List, unset: "all" }
    /// Whether to provide the built-in demo tasks, as `dev` does: `echo`, `sleep`, `fail` and others
    DEMO_TASKS: bool = "demo_tasks" by parse::switch, { takes: Takes::Switch, default: Some("false") }
    /// Whether a worker may start without any task; it then claims nothing until SIGHUP finds tasks in the file
    ALLOW_NO_TASKS: bool = "allow_no_tasks" by parse::switch, { takes: Takes::Switch, default: Some("false") }
    /// Name of this machine; workers with the same name and data directory adopt each other's programs
    HOST: HostName = "host" by parse::host, { takes: Takes::Text("NAME"), unset: "the host name" }
    /// Time limit of an attempt if neither its run nor its task has one
    RUN_TIMEOUT_SECONDS: NonZeroU32 = "run_timeout_seconds" by parse::whole_above_zero, { unset: "no limit" }
    /// Interval at which a worker renews its leases and sees requests to cancel or pause
    HEARTBEAT_SECONDS: Duration = "heartbeat_seconds" by parse::seconds_above_zero, {
        takes: SECONDS, default: Some("2"),
    }
    /// Time after which a lease that is not renewed expires; at least three heartbeats
    LEASE_TTL_SECONDS: Duration = "lease_ttl_seconds" by parse::seconds_above_zero, {
        takes: SECONDS, default: Some("30"),
    }
    /// Time after a lease has expired before another machine may take over its run
    TAKEOVER_DELAY_SECONDS: Duration = "takeover_delay_seconds" by parse::seconds, {
        takes: SECONDS, default: Some("60"),
    }
    /// Time that a stopping process waits for running attempts
    SHUTDOWN_GRACE_PERIOD_SECONDS: Duration = "shutdown_grace_period_seconds" by parse::seconds, {
        takes: SECONDS, default: Some("300"),
    }
    /// Retention of finished runs, with their attempts and events
    HISTORY_DAYS: Duration = "history_days" by parse::days, { takes: DAYS, default: Some("30") }
    /// Retention of the audit log
    AUDIT_DAYS: Duration = "audit_days" by parse::days, { takes: DAYS, default: Some("400") }
    /// Retention of usage records
    USAGE_DAYS: Duration = "usage_days" by parse::days, { takes: DAYS, default: Some("400") }
    /// Address on which `worker` serves its metrics, or `off`
    METRICS_LISTEN: MetricsListen = "metrics_listen" by parse::metrics_listen, {
        takes: Takes::Text("ADDR:PORT"), default: Some("127.0.0.1:9091"),
    }
    /// Log format: `pretty` for people, or `json` with one object per line
    LOG_FORMAT: LogFormat = "log_format" by parse::log_format, {
        takes: Takes::OneOf(&["pretty", "json"]), default: Some("pretty"),
    }
    /// Log filter: a level, or finer such as `info,runlane::worker=debug`
    LOG: String = "log" by parse::log_filter, { takes: Takes::Text("FILTER"), default: Some("info") }
}
