//! How fast runs are taken: one by one, and in batches.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use futures::future::try_join_all;
use indicatif::ProgressBar;
use reqwest::Method;

use crate::cli::Failure;
use crate::cli::client::doc::Doc;
use crate::cli::client::remote::{Extra, Remote};

pub(super) const BATCH: u32 = 1000;

/// Runs a second; so many callers, each with one request under way.
pub(super) async fn one_by_one(
    remote: &Remote,
    body: &Doc,
    runs: u32,
    callers: u16,
    bar: &ProgressBar,
) -> Result<f64, Failure> {
    let headers = [("Prefer", "return=minimal".to_owned())];
    let extra = || Extra { headers: &headers, body: Some(body), ..Extra::default() };
    let left = AtomicU32::new(runs);
    let begun = Instant::now();
    try_join_all((0..callers).map(|_| async {
        while take(&left, 1) > 0 {
            remote.call(Method::POST, &["runs"], extra()).await?;
            bar.inc(1);
        }
        Ok::<_, Failure>(())
    }))
    .await?;
    Ok(f64::from(runs) / begun.elapsed().as_secs_f64())
}

/// Runs a second, in batches; a few under way at once are enough to keep a server busy.
pub(super) async fn in_batches(
    remote: &Remote,
    body: &Doc,
    runs: u32,
    callers: u16,
    bar: &ProgressBar,
) -> Result<f64, Failure> {
    let left = AtomicU32::new(runs);
    let begun = Instant::now();
    try_join_all((0..callers.min(4)).map(|_| async {
        loop {
            let count = take(&left, BATCH);
            if count == 0 {
                return Ok::<_, Failure>(());
            }
            let batch = Doc::of(&BTreeMap::from([("runs", vec![body; count as usize])]));
            let answer = remote.post(&["runs", "batch"], Some(&batch)).await?;
            if answer.field::<u64>("created") != Some(count.into()) {
                return Err("the server did not accept the whole batch".into());
            }
            bar.inc(count.into());
        }
    }))
    .await?;
    Ok(f64::from(runs) / begun.elapsed().as_secs_f64())
}

/// Takes up to `most` of what is left; answers how many.
fn take(left: &AtomicU32, most: u32) -> u32 {
    let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(most)));
    before.unwrap_or_default().min(most)
}
