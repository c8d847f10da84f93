//! Holds the schedules against hostile input.

mod hostile;

use super::*;
