//! How long a run waits for a worker when nothing else is to do.

use indicatif::ProgressBar;
use reqwest::Method;
use serde::Serialize;

use crate::cli::Failure;
use crate::cli::client::doc::Doc;
use crate::cli::client::remote::{Extra, Remote};
use crate::cli::client::seen;

/// From the moment a run is stored to the moment it is claimed, by the database's clock; in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Pickup {
    pub(super) p50: f64,
    pub(super) p99: f64,
}

/// One run after the other.
pub(super) async fn measure(remote: &Remote, body: &Doc, runs: u32, bar: &ProgressBar) -> Result<Pickup, Failure> {
    let headers = [("Prefer", "wait=30".to_owned())];
    let mut waits = Vec::new();
    for _ in 0..runs {
        let extra = Extra { headers: &headers, body: Some(body), ..Extra::default() };
        let run: seen::Run = seen::read(&remote.call(Method::POST, &["runs"], extra).await?)?;
        let (Some(stored), Some(started)) = (run.requested_at, run.started_at) else {
            return Err(format!("run {} was not started within 30 s", run.id).into());
        };
        bar.inc(1);
        waits.push(started.duration_since(stored).as_micros() as f64 / 1000.0);
    }
    Ok(of(waits))
}

fn of(mut waits: Vec<f64>) -> Pickup {
    waits.sort_by(f64::total_cmp);
    // The smallest value that so many of a hundred do not exceed.
    let percentile = |hundredths: usize| {
        let rank = (waits.len() * hundredths).div_ceil(100).max(1);
        waits.get(rank - 1).copied().unwrap_or_default()
    };
    Pickup { p50: percentile(50), p99: percentile(99) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let waits: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(of(waits), Pickup { p50: 100.0, p99: 198.0 });
        assert_eq!(of(vec![7.0]), Pickup { p50: 7.0, p99: 7.0 });
    }
}
