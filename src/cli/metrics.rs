//! Serves the process's metrics to whoever scrapes them.

#[cfg(feature = "api")]
use std::sync::Arc;
#[cfg(feature = "api")]
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};

use super::Failure;
use super::settings::{Effective, METRICS_LISTEN};

/// How often what was measured is put in order.
#[cfg(feature = "api")]
const UPKEEP: Duration = Duration::from_secs(5);

/// From a millisecond to an hour.
const SECONDS: [f64; 14] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0];

/// Begins to collect them; answers with what writes them down.
#[cfg(feature = "api")]
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

/// Begins to serve them. An address that was asked for must be free; the usual one need not be, since several workers
/// may share a machine.
pub(super) fn serve(settings: &Effective) -> Result<(), Failure> {
    let Some(address) = settings.value(&METRICS_LISTEN) else { return Ok(()) };
    if let Err(error) = std::net::TcpListener::bind(address) {
        if settings.said(&METRICS_LISTEN).is_some() {
            return Err(format!("cannot serve metrics at {address}: {error}").into());
        }
        tracing::warn!(%address, %error, "metrics are not served; another address can be set by --metrics-listen");
        return Ok(());
    }
    builder()?.with_http_listener(address).install()?;
    describe();
    tracing::info!(%address, "serving metrics");
    Ok(())
}
