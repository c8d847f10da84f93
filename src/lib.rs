//! Runlane: a durable execution queue on the database you have.
//!
//! The layers, lowest first; each may use only what stands above it in this list:
//! [`clock`], [`run`] and [`access`] (pure: types, the lifecycle, who may do what), then [`store`] (where runs live) and
//! `executor` (how an attempt runs), [`actions`] (what a caller may ask), `worker` and `maintenance`, `http` (the API).
//! `docs/ARCHITECTURE.md` has the map and walks one run through the code.

pub mod access;
pub mod actions;
pub mod clock;
#[cfg(feature = "worker")]
pub mod executor;
#[cfg(feature = "api")]
pub mod http;
#[cfg(feature = "worker")]
pub mod maintenance;
pub mod run;
pub mod schedule;
pub mod store;
#[cfg(feature = "worker")]
pub mod worker;

/// The Rust in the pages for people, compiled and run with the tests.
#[cfg(all(doctest, feature = "api", feature = "postgres", feature = "sqlite", feature = "worker"))]
mod pages {
    #[doc = include_str!("../docs/embedding.md")]
    struct Embedding;
}
