//! The retry policy of runs, as options: for `submit` and for schedules.

use clap::Args;
use jiff::SignedDuration;
use serde::Serialize;

use super::args;
use super::batch::Body;
use super::doc::Doc;

#[derive(Args, Default)]
pub(super) struct RetryArgs {
    /// Minimum backoff before a retry (90, 5m)
    #[arg(long, value_name = "DURATION", value_parser = args::duration)]
    retry_wait: Option<SignedDuration>,
    /// Factor by which the backoff grows with each attempt
    #[arg(long, value_name = "N")]
    retry_factor: Option<u32>,
    /// Maximum backoff before a retry
    #[arg(long, value_name = "DURATION", value_parser = args::duration)]
    retry_max_wait: Option<SignedDuration>,
}

impl RetryArgs {
    /// As the API takes it; `None` if nothing was given.
    pub(super) fn policy(&self) -> Option<Doc> {
        let mut policy = Body::new();
        let fields = [
            ("base_seconds", self.retry_wait.map(seconds)),
            ("factor", self.retry_factor.map(doc)),
            ("cap_seconds", self.retry_max_wait.map(seconds)),
        ];
        for (name, value) in fields {
            value.map(|value| policy.insert(name.to_owned(), value));
        }
        (!policy.is_empty()).then(|| doc(policy))
    }
}

/// Whole where it is whole.
pub(super) fn seconds(span: SignedDuration) -> Doc {
    if span.subsec_nanos() == 0 { doc(span.as_secs()) } else { doc(span.as_secs_f64()) }
}

fn doc(value: impl Serialize) -> Doc {
    Doc::of(&value)
}
