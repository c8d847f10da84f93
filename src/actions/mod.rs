//! What a caller may ask, one file per verb: every way in (API, command line, library) comes through here.

mod by;
mod catalog;
mod command_run;
mod create_token;
mod create_workspace;
mod direct;
mod drain_worker;
mod end_signal;
mod explain_run;
mod release_lane;
mod rerun_run;
mod revoke_token;
mod set_lane_policy;
mod set_queue;
mod submit_desk;
mod submit_runs;
mod wait_for_run;

pub use by::By;
pub use catalog::{AnyTask, Catalog, LiveCatalog, Refusal, TaskDefaults};
pub use command_run::command_run;
pub use create_token::{TokenRequest, create_token};
pub use create_workspace::create_workspace;
pub use direct::{DirectSlots, NoSlot, Reservation};
pub use drain_worker::drain_worker;
pub use end_signal::{EndListener, EndSignal};
pub use explain_run::{Explanation, Reason, explain_run};
pub use release_lane::release_lane;
pub use rerun_run::rerun_run;
pub use revoke_token::revoke_token;
pub use set_lane_policy::set_lane_policy;
pub use set_queue::set_queue;
pub use submit_desk::{SubmitDesk, SubmitError};
pub use submit_runs::submit_runs;
pub use wait_for_run::wait_for_run;
