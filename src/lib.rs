//! Runlane: a durable execution queue on the database you have.
//!
//! The layers, lowest first; each may use only what stands above it in this list:
//! [`clock`] and [`run`] (pure: types and the lifecycle), then [`store`] (where runs live).
//! `docs/ARCHITECTURE.md` has the map and walks one run through the code.

pub mod clock;
#[cfg(feature = "worker")]
pub mod executor;
pub mod run;
pub mod store;
