//! Deliberate faults, each of which the checker must report.

mod faulty;
mod wrapped;
