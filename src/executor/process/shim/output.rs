//! Measures the output directory while the work fills it.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::executor::process::directory::{Directory, measure_output};
use crate::executor::process::foreign::Measured;
use crate::executor::process::record::Why;

const PACE: Duration = Duration::from_secs(1);
/// Measuring may take up a tenth of the time, in a directory however large.
const REST: u32 = 10;

/// Waits until there is more in the directory than allowed, and says what is too much.
pub(super) async fn exceeded(directory: &Directory, limit: u64) -> Why {
    let mut rest = PACE;
    loop {
        // First of all: most work has ended by then, and is measured at its end.
        sleep(rest).await;
        let begun = Instant::now();
        let output = directory.output_dir();
        // A walk that failed could measure nothing; the next may.
        let measured = tokio::task::spawn_blocking(move || measure_output(output)).await;
        if let Some(why) = measured.ok().and_then(|measured| excess(measured, limit)) {
            return why;
        }
        rest = PACE.max(begun.elapsed() * REST);
    }
}

/// Measures it once.
pub(super) fn excess_now(directory: &Directory, limit: u64) -> Option<Why> {
    excess(measure_output(directory.output_dir()), limit)
}

fn excess(measured: Measured, limit: u64) -> Option<Why> {
    match measured {
        Measured::Bytes(bytes) => (bytes > limit).then_some(Why::OutputLimit),
        Measured::TooMuch => Some(Why::OutputTree),
    }
}
