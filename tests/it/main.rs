//! The integration tests: one binary, real files, real processes.

#[cfg(feature = "sqlite")]
mod sqlite;
