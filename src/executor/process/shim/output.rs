//! Measures the output directory while the work fills it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

const PACE: Duration = Duration::from_secs(1);
/// Measuring may take up a tenth of the time, in a directory however large.
const REST: u32 = 10;

/// Waits until there is more in the directory than allowed.
pub(super) async fn exceeded(directory: PathBuf, limit: u64) {
    let mut rest = PACE;
    loop {
        // First of all: most work has ended by then, and is measured at its end.
        sleep(rest).await;
        let begun = Instant::now();
        let walked = directory.clone();
        // A walk that failed could measure nothing; the next may.
        let size = tokio::task::spawn_blocking(move || size(&walked)).await.unwrap_or(0);
        if size > limit {
            return;
        }
        rest = PACE.max(begun.elapsed() * REST);
    }
}

/// The files below a directory, together. Links count for nothing, wherever they lead.
pub(super) fn size(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let measure = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => size(&entry.path()),
        Ok(data) if data.is_file() => data.len(),
        _ => 0,
    };
    entries.flatten().map(measure).fold(0, u64::saturating_add)
}
