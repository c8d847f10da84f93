//! Whether the server lives.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Liveness of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    #[schema(example = "ok")]
    pub status: String,
    /// The release of the server.
    #[schema(example = "0.1.0")]
    pub version: String,
}

/// Readiness of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readiness {
    /// Always `ready`.
    #[schema(example = "ready")]
    pub status: String,
    /// The release of the server.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// The kind of database: `sqlite` or `postgres`; `null` if an embedding program does not say.
    #[schema(required, example = "sqlite")]
    pub database: Option<String>,
    /// The version of the database's schema; `null` as above.
    #[schema(required, example = 2)]
    pub schema_version: Option<i64>,
}

impl Health {
    /// This server's.
    pub fn ok() -> Self {
        Self { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}
