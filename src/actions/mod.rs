//! What a caller may ask, one file per verb: every way in (API, command line, library) comes through here.

mod submit_runs;

pub use submit_runs::submit_runs;
