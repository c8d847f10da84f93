//! The integration tests, one binary.

mod chaos;
mod concurrent;
mod memory;
mod model;
mod mutants;
