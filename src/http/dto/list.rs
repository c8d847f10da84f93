//! Part of a list.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A page of a list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct List<T> {
    /// The items.
    pub data: Vec<T>,
    /// Pass it as `cursor` to get the next page; `null` on the last page.
    #[schema(required, example = json!(null))]
    pub next_cursor: Option<String>,
}

impl<T> List<T> {
    /// All there is.
    pub fn whole(data: Vec<T>) -> Self {
        Self { data, next_cursor: None }
    }
}
