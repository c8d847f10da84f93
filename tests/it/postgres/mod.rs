//! What only PostgreSQL has: plans, poolers, broken connections.

pub mod fixture;
mod faults;
mod opening;
mod plans;
