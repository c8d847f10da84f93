//! The integration tests, one binary.

mod concurrent;
mod memory;
mod mutants;
