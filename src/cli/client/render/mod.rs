//! How things look: words for times, aligned tables, colours where they are wanted.

mod paint;
mod run;
mod table;
mod words;

pub(super) use self::paint::Paint;
pub(super) use self::run::{card, row};
pub(super) use self::table::{Cell, Table};
pub(super) use self::words::{ago, counted, elapsed, grouped, now, plain, shown, span};
