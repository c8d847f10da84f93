//! Recurring work: when it is due, what became of each slot, and under whose permission it runs. Pure: no I/O, no async,
//! no SQL, no clock.

mod chain;
mod cron;
mod days;
mod edit;
mod field;
mod grant;
mod head;
mod model;
mod preview;
mod skip;
#[cfg(test)]
mod tests;
mod timing;
mod walk;
mod zone;

pub use chain::{Advance, Position};
pub use cron::{Cron, InvalidCron};
pub use edit::{EditedSchedule, ScheduleEdit};
pub(crate) use grant::REFUSALS;
pub use grant::{BillingAccount, Grant, NewGrant, Scopes, Standing, UserName};
pub use head::{Successor, is_done, start_refusal};
pub use model::{Disabled, Head, NewSchedule, Overlap, Schedule, ScheduleName, ScheduleSpec};
pub use preview::{Previewed, SlotNote, preview};
pub use skip::{Skip, SkipId, SkipReason};
pub use timing::{Dst, Fold, Gap, Timing};
pub use zone::{UnknownZone, Zone};
