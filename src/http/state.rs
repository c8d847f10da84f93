//! What the handlers share, and what whoever starts the server decides.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::auth::{Auth, KnownTokens, KnownWorkspaces};
use super::meters::Meters;
use super::rates::{RateLimit, Rates};
use crate::actions::{AnyTask, Catalog, DirectSlots, EndSignal};
use crate::store::{Admission, Store};

/// Writes the process's metrics down as Prometheus reads them.
pub type Scrape = Arc<dyn Fn() -> String + Send + Sync>;

/// What a server serves, and how. Start from [`Api::on`] and set what differs.
#[derive(Clone)]
pub struct Api {
    /// Where the runs are.
    pub store: Arc<dyn Store>,
    /// The tasks it knows; [`AnyTask`] takes runs of any.
    pub catalog: Arc<dyn Catalog>,
    /// The slots that execute what is submitted, while its caller waits: direct mode. Without them there is a queue.
    pub direct: Option<Arc<dyn DirectSlots>>,
    /// Tells of runs that end in this process, where there is a worker.
    pub ended: EndSignal,
    /// Which database it is, for those who ask whether the server is ready.
    pub database: Option<DatabaseInfo>,
    /// Cancelled when the process is about to stop: it still serves, but `/readyz` sends new callers elsewhere.
    pub draining: CancellationToken,
    /// What `/metrics` answers with, if there is a recorder.
    pub metrics: Option<Scrape>,
    /// How submissions are limited.
    pub admission: Admission,
    /// Who may use it.
    pub auth: Auth,
    /// The host names it answers to beside those of the machine itself. Without any, and with tokens, it answers to all.
    pub hosts: Vec<String>,
    /// The origins whose pages may use it, beside its own.
    pub origins: Vec<String>,
    /// How often one caller may ask: one token, or without tokens one address.
    pub rate_limit: Option<RateLimit>,
    /// How long idempotency keys are remembered.
    pub idempotency_ttl: SignedDuration,
    /// How large and how long things may be.
    pub limits: Limits,
}

/// Which database there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseInfo {
    /// `sqlite` or `postgres`.
    pub kind: &'static str,
    /// The version of its schema.
    pub schema_version: i64,
}

/// How large and how long things may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A body, in bytes.
    pub body_bytes: usize,
    /// The body of a batch, in bytes.
    pub batch_bytes: usize,
    /// The submissions in a batch.
    pub batch_runs: usize,
    /// How long a body may take to arrive.
    pub body_wait: Duration,
    /// How long a connection may take until it has sent the head of a request, and idle until it sends the next.
    pub header_wait: Duration,
    /// The head of a request, in bytes; at least 8 KiB.
    pub header_bytes: usize,
    /// The headers of a request.
    pub headers: usize,
    /// How many connections may be open at once; more wait until they are taken.
    pub connections: usize,
    /// How long a request may wait for an outcome.
    pub wait: Duration,
    /// How many event streams may be open at once.
    pub streams: usize,
    /// How long requests under way may take once the server is to stop.
    pub shutdown_grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 1024 * 1024,
            batch_bytes: 16 * 1024 * 1024,
            batch_runs: 10_000,
            body_wait: Duration::from_secs(30),
            header_wait: Duration::from_secs(30),
            header_bytes: 64 * 1024,
            headers: 100,
            connections: 4096,
            wait: Duration::from_secs(60),
            streams: 1024,
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

impl Api {
    /// A server for this machine alone, without limits to the queue, that takes runs of any task.
    pub fn on(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            catalog: Arc::new(AnyTask),
            direct: None,
            ended: EndSignal::default(),
            database: None,
            draining: CancellationToken::new(),
            metrics: None,
            admission: Admission::default(),
            auth: Auth::None,
            hosts: Vec::new(),
            origins: Vec::new(),
            rate_limit: None,
            idempotency_ttl: SignedDuration::from_hours(24),
            limits: Limits::default(),
        }
    }
}

/// What the handlers share.
pub(in crate::http) struct Shared {
    pub(in crate::http) api: Api,
    pub(in crate::http) known_tokens: KnownTokens,
    pub(in crate::http) known_workspaces: KnownWorkspaces,
    pub(in crate::http) rates: Rates,
    pub(in crate::http) meters: Meters,
    pub(in crate::http) streams: Arc<Semaphore>,
    /// Set once the server is to stop: whoever waits answers at once.
    pub(in crate::http) stopping: CancellationToken,
}

/// The handlers' state.
pub(in crate::http) type Server = Arc<Shared>;

impl Shared {
    pub(in crate::http) fn new(api: Api, stopping: CancellationToken) -> Server {
        Arc::new(Self {
            known_tokens: KnownTokens::default(),
            known_workspaces: KnownWorkspaces::default(),
            rates: Rates::new(api.rate_limit),
            meters: Meters::default(),
            streams: Arc::new(Semaphore::new(api.limits.streams)),
            stopping,
            api,
        })
    }

    pub(in crate::http) fn store(&self) -> &dyn Store {
        self.api.store.as_ref()
    }
}
