//! What goes into and comes out of the store's verbs.

mod attempt;
mod audit;
mod claim;
mod event;
mod lane;
mod page;
mod position;
mod promote;
mod queue;
mod retention;
mod schedule;
mod submit;
mod token;
mod worker;

pub use attempt::{Finish, FinishOutcome, Lease, ReleaseLease, Renew, Renewal};
pub use audit::{AuditEntry, AuditFilter, AuditRecord};
pub use claim::{Ahead, Claim, ClaimRequest, ClaimScope, Claimed};
pub use event::{Append, AppendOutcome, Event, EventKind, NewEvent};
pub use lane::{Lane, LanePolicy, LanePolicyOutcome};
pub use page::{Count, Listed, Page, RunFilter};
pub use position::{Load, Position, WaitingTask};
pub use promote::Promoted;
pub use queue::{Queue, QueueChange, QueueSettings};
pub use retention::{Pruned, Retention};
pub use schedule::{
    CheckedGrant, CreateGrantOutcome, CreateScheduleOutcome, EditScheduleOutcome, RevokeGrantOutcome, ScheduleEdit,
    ScheduleFilter, Usage, UsageFilter, UsageSum,
};
pub use submit::{Admission, RerunOutcome, Submission, SubmitOutcome};
pub use token::{CreateTokenOutcome, RevokeOutcome};
pub use worker::{Duty, QueueLimit, Worker, WorkerInfo, WorkerState};
