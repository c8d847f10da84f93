//! Whether the server lives.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How the server is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok` or `ready`.
    #[schema(example = "ok")]
    pub status: String,
    /// The release.
    #[schema(example = "0.1.0")]
    pub version: String,
}

impl Health {
    /// This server's, in a word.
    pub fn of(status: &str) -> Self {
        Self { status: status.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}
