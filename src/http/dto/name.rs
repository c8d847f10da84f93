//! The names people give to things, as the description has them.

use utoipa::ToSchema;

/// 1 to 200 bytes of text without control characters.
#[derive(ToSchema)]
#[schema(min_length = 1, max_length = 200, pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", example = "default")]
#[expect(dead_code, reason = "the schema of types of the pure layer, which knows of no schemas")]
pub(in crate::http) struct Name(String);
