//! What a run is and how it may change. Pure: no I/O, no async, no SQL, no clock.

mod attempt;
mod blocked;
mod error;
mod id;
mod json;
mod json_mistake;
pub mod lifecycle;
mod name;
mod new_run;
mod priority;
mod retry;
mod scheduled;
mod state;
mod status;

pub use attempt::{Attempt, AttemptEnd, AttemptedBy};
pub use blocked::BlockedBy;
pub use error::RunError;
pub(crate) use id::ids;
pub use id::{GrantId, RunId, ScheduleId, WorkerId};
pub use json::{InvalidJson, Json};
pub use json_mistake::explain_json_mistake;
pub use name::{HostName, IdempotencyKey, InvalidName, LaneName, QueueName, RunKey, TaskName, WorkspaceName};
pub(crate) use name::{check as check_name, names};
pub use new_run::{Due, Idempotency, KeyMode, NewRun, StartBy};
pub use priority::{InvalidPriority, Priority};
pub use retry::{Jitter, RetryPolicy};
pub use scheduled::Scheduled;
pub use state::{Ending, Execution, Run, State, Stop, Tenure};
pub use status::Status;
