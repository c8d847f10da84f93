//! What goes over the wire, both ways: the server writes and reads these, and so do its clients.

mod attempt;
mod audit;
mod batch;
mod event;
mod explanation;
mod health;
mod lane;
mod list;
mod problem;
mod queue;
mod run;
mod submit;
mod token;
mod worker;
mod workspace;

pub use attempt::Attempt;
pub use audit::AuditRecord;
pub use batch::{BatchItem, BatchOutcome, BatchResult, SubmitBatch};
pub use event::{Ended, Event};
pub use explanation::{Explanation, Reason};
pub use health::{Health, Readiness};
pub(in crate::http) use lane::LaneOnFailure;
pub use lane::{Lane, LaneChange, LaneReleased, LaneSettings};
pub use list::List;
pub use problem::Problem;
pub use queue::{Queue, QueueChange, QueueSettings};
pub use run::{Lease, Run};
pub(in crate::http) use run::{RunFailure, RunStatus};
pub(in crate::http) use submit::SubmitKeyMode;
pub use submit::{SubmitRun, Submitted};
pub(in crate::http) use token::TokenRole;
pub use token::{CreatedToken, NewToken, Token};
pub use worker::Worker;
pub use workspace::{NewWorkspace, Workspace};
