//! Holds the schedules against a table of slots made elsewhere, against the plainest way to find them, and against
//! hostile input.

mod golden;
mod hostile;
mod oracle;
mod slots;
mod stuff;

use super::*;
