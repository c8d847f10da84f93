//! What a caller may ask, one file per verb: every way in (API, command line, library) comes through here.

mod explain_run;
mod submit_runs;

pub use explain_run::{Explanation, Reason, explain_run};
pub use submit_runs::submit_runs;
