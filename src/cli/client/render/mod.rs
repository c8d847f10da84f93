//! How things look: words for times, aligned tables, colours where they are wanted.

mod paint;
mod run;
mod table;
mod words;

pub(in crate::cli) use self::paint::{Paint, Tone};
pub(super) use self::run::{card, row};
pub(in crate::cli) use self::table::{Cell, Table};
pub(super) use self::words::{ago, grouped, now, shown, span};
pub(in crate::cli) use self::words::{counted, plain};
