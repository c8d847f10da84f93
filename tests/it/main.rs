//! One integration binary: real databases, real files, real processes.

mod chaos;
mod concurrent;
mod conformance;
#[cfg(all(feature = "api", feature = "worker", feature = "sqlite", target_os = "linux"))]
mod dev;
mod explain;
#[cfg(all(feature = "worker", feature = "sqlite", feature = "postgres", target_os = "linux"))]
mod fleet;
#[cfg(all(feature = "api", feature = "sqlite"))]
mod http;
mod memory;
mod model;
mod mutants;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod process;
#[cfg(feature = "sqlite")]
mod schedules;
#[cfg(all(feature = "api", feature = "worker", feature = "sqlite", target_os = "linux"))]
mod serve;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(all(feature = "worker", feature = "sqlite"))]
mod worker;
#[cfg(all(feature = "api", feature = "worker", feature = "sqlite", target_os = "linux"))]
mod worker_process;
