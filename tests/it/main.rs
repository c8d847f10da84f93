//! One integration binary: real databases, real processes.

#[cfg(feature = "postgres")]
mod postgres;
