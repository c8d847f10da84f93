//! The HTTP API: reads requests, lets `actions` do what was asked, writes the answer down.
//!
//! A request passes, from outside: `frame` (its id, its log line, problems written down), `hosts`, `auth` (who asks, and
//! whether they may: `routes` has the table), then its handler in `api`.

mod api;
mod auth;
mod changed;
pub mod dto;
mod extract;
mod frame;
mod hosts;
mod meters;
mod openapi;
mod problem;
mod rates;
mod router;
mod routes;
mod serve;
mod state;

pub use auth::Auth;
pub use meters::describe as describe_metrics;
pub use openapi::document as openapi;
pub use problem::{Code, Problem, markdown as problem_table};
pub use rates::RateLimit;
pub use router::router;
pub use serve::{ServeError, serve};
pub use state::{Api, DatabaseInfo, Limits, Scrape};
