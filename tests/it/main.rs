//! One integration binary: real databases, real processes.

mod conformance;
#[cfg(feature = "postgres")]
mod postgres;
