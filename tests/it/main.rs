//! One integration binary: real databases, real files, real processes.

mod chaos;
mod concurrent;
mod conformance;
mod memory;
mod model;
mod mutants;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
