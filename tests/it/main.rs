//! One integration binary: real databases, real files, real processes.

mod conformance;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
