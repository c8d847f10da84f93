//! The integration tests, one binary.

mod concurrent;
mod memory;
mod model;
mod mutants;
