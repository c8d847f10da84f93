//! The `Prefer` header (RFC 7240): how the caller would like to be answered. What is not understood is ignored.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// What the caller prefers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::http) struct Preferences {
    /// Wait so long for the outcome.
    pub(in crate::http) wait: Option<Duration>,
    /// Answer with the id alone, which saves looking the run up.
    pub(in crate::http) minimal: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for Preferences {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let headers = parts.headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
        Ok(headers.flat_map(|header| header.split(',')).fold(Self::default(), Self::heard))
    }
}

impl Preferences {
    /// The first mention counts.
    fn heard(mut self, preference: &str) -> Self {
        let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
        let value = value.split(';').next().unwrap_or_default().trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            "wait" if self.wait.is_none() => self.wait = value.parse().ok().map(Duration::from_secs),
            "return" if value == "minimal" => self.minimal = true,
            _ => {}
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_understood_is_ignored() {
        let heard = |header: &str| header.split(',').fold(Preferences::default(), Preferences::heard);
        let wait = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(heard("wait=30"), Preferences { wait: wait(30), minimal: false });
        assert_eq!(heard("respond-async, Wait = 5; x=1, return=minimal"), Preferences { wait: wait(5), minimal: true });
        assert_eq!(heard("wait=soon, return=representation"), Preferences::default());
    }
}
