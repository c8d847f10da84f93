//! What only PostgreSQL has: plans, poolers, broken connections.

mod chains;
pub mod faults;
pub mod fixture;
pub mod guards;
mod lane_locks;
mod opening;
mod plans;
mod proof;
mod renewals;
mod together;
mod wakes;
