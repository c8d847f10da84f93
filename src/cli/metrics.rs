//! Serves the process's metrics to whoever scrapes them.

use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};

use runlane::store::Store;
use tokio_util::sync::CancellationToken;

use super::Failure;
use super::settings::{Effective, METRICS_LISTEN};
use super::worker_http::{self, Pages};

/// How often what was measured is put in order.
const UPKEEP: Duration = Duration::from_secs(5);

/// From a millisecond to an hour.
const SECONDS: [f64; 14] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0];

/// Begins to collect them; answers with what writes them down.
pub(super) fn recorder() -> Result<Arc<dyn Fn() -> String + Send + Sync>, Failure> {
    let handle = builder()?.install_recorder()?;
    describe();
    let upkeep = handle.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP).await;
            upkeep.run_upkeep();
        }
    });
    Ok(Arc::new(move || handle.render()))
}

fn builder() -> Result<PrometheusBuilder, Failure> {
    Ok(PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &SECONDS)?)
}

fn describe() {
    runlane::worker::describe_metrics();
    runlane::maintenance::describe_metrics();
    #[cfg(feature = "api")]
    runlane::http::describe_metrics();
}

/// Begins to serve them, with the worker's health beside them. An address that was asked for must be free. The usual one
/// need not be, since several workers may share a machine: then any free port is taken.
pub(super) fn serve(settings: &Effective, store: &Arc<dyn Store>, stop: &CancellationToken) -> Result<(), Failure> {
    let Some(address) = settings.value(&METRICS_LISTEN) else { return Ok(()) };
    let listener = match std::net::TcpListener::bind(address) {
        Err(error) if settings.said(&METRICS_LISTEN).is_some() => {
            return Err(format!("cannot serve metrics at {address}: {error}").into());
        }
        Err(error) => {
            tracing::warn!(%address, %error, "the default metrics address is in use; using a free port");
            std::net::TcpListener::bind((address.ip(), 0))?
        }
        Ok(listener) => listener,
    };
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let address = listener.local_addr()?;
    let pages = Pages { scrape: recorder()?, store: Arc::clone(store), stop: stop.clone() };
    tokio::spawn(worker_http::serve(listener, Arc::new(pages)));
    tracing::info!(%address, "serving metrics");
    Ok(())
}
