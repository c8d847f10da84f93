//! How fast a full queue is worked off.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::queue::BenchQueue;
use crate::cli::Failure;

const LOOK: Duration = Duration::from_millis(50);

/// If nothing ends for so long, nothing will.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs a second, from the moment the queue is let go to the end of the last.
pub(super) async fn drain(queue: &BenchQueue<'_>, submitted: u64, bar: &ProgressBar) -> Result<f64, Failure> {
    // More than this bench submitted may be in it, from one that was interrupted.
    let all = queue.live().await?.max(submitted);
    bar.set_length(all);
    let begun = Instant::now();
    queue.resume().await?;
    let (mut least, mut moved) = (all, Instant::now());
    loop {
        tokio::time::sleep(LOOK).await;
        let live = queue.live().await?;
        bar.set_position(all.saturating_sub(live));
        if live == 0 {
            return Ok(all as f64 / begun.elapsed().as_secs_f64());
        }
        if live < least {
            (least, moved) = (live, Instant::now());
        } else if moved.elapsed() > PATIENCE {
            return Err(format!(
                "no run of the queue bench has ended for {} s, and {live} are left\n  hint: is there a worker that knows \
                 the task echo? `runlane explain` says why a run waits",
                PATIENCE.as_secs()
            )
            .into());
        }
    }
}
