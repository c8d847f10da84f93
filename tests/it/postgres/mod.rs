//! What only PostgreSQL has: plans, poolers, broken connections.

mod faults;
pub mod fixture;
mod opening;
mod plans;
mod proof;
mod wakes;
