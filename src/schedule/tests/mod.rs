//! Holds the schedules against a table of slots made elsewhere, against the plainest way to find them, and against
//! hostile input.

mod chain;
mod edit;
mod golden;
mod head;
mod hostile;
mod oracle;
mod preview;
mod slots;
mod stuff;

use super::*;
