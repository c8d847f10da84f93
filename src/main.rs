//! The one binary. What it can do is in `cli`.

mod cli;

use std::process::ExitCode;

/// A worker allocates little and often, on several threads.
#[cfg(feature = "worker")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Before there is a runtime: a shim lives as long as its work and makes do with one thread, and the work dies with
    // the thread that started it.
    #[cfg(all(feature = "worker", target_os = "linux"))]
    if let Some(code) = runlane::executor::process::shim::called() {
        return code;
    }
    run()
}

#[tokio::main]
async fn run() -> ExitCode {
    cli::main().await
}
