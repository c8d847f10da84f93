//! Reads requests: bodies, queries, names in paths, headers. What does not suit is refused by name.

mod body;
mod cursor;
mod json;
mod path;
mod prefer;
mod query;
mod short;
mod words;

pub(in crate::http) use body::Body;
pub(in crate::http) use cursor::{from_cursor, to_cursor};
pub(in crate::http) use path::{
    GrantPath, LanePath, QueuePath, RunPath, ScheduleNamePath, SchedulePath, TokenPath, WorkerPath, schedule_id,
};
pub(in crate::http) use prefer::Preferences;
pub(in crate::http) use query::Query;
