//! The process executor, with real programs, real shims and real signals.

mod adopt;
mod environment;
mod hostile;
mod leftovers;
mod limits;
mod output;
mod result;
mod reuse;
mod stop;
mod support;
