//! The lifecycle, tried: the whole table, then the details of each transition.

mod attempt;
mod command;
mod enter;
mod lease;
mod table;
