//! Schedules as they are lived with: a year by a clock that jumps, workers, revocations, and processes that are killed.

pub(crate) mod support;
mod year;
