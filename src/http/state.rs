//! What the handlers share, and what whoever starts the server decides.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::auth::Auth;
use crate::actions::{AnyTask, Catalog, SubmitDesk};
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
    /// How long idempotency keys are remembered.
    pub idempotency_ttl: SignedDuration,
    /// How large and how long things may be.
    pub limits: Limits,
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
            metrics: None,
            admission: Admission::default(),
            auth: Auth::None,
            hosts: Vec::new(),
            origins: Vec::new(),
            idempotency_ttl: SignedDuration::from_hours(24),
            limits: Limits::default(),
        }
    }
}

/// What the handlers share.
pub(in crate::http) struct Shared {
    pub(in crate::http) api: Api,
    pub(in crate::http) desk: SubmitDesk,
    pub(in crate::http) streams: Arc<Semaphore>,
    /// Set once the server is to stop: whoever waits answers at once.
    pub(in crate::http) stopping: CancellationToken,
}

/// The handlers' state.
pub(in crate::http) type Server = Arc<Shared>;

impl Shared {
    pub(in crate::http) fn new(api: Api, stopping: CancellationToken) -> Server {
        let desk = SubmitDesk::open(Arc::clone(&api.store), api.admission);
        Arc::new(Self { desk, streams: Arc::new(Semaphore::new(api.limits.streams)), stopping, api })
    }

    pub(in crate::http) fn store(&self) -> &dyn Store {
        self.api.store.as_ref()
    }
}
