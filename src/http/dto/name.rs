//! The names people give to things, as the description has them.

use utoipa::ToSchema;

/// 1 to 200 bytes of text without control characters.
#[derive(ToSchema)]
#[schema(min_length = 1, max_length = 200, pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", example = "default")]
#[expect(dead_code, reason = "the schema of types of the pure layer, which knows of no schemas")]
pub(in crate::http) struct Name(String);

/// An id, or its first or last digits (at least 4), if no other has the same.
#[derive(ToSchema)]
#[schema(
    min_length = 4,
    max_length = 36,
    pattern = "^[0-9A-Fa-f-]+$",
    example = "01a1e292-4f58-704e-830f-f9086c87eddb"
)]
#[expect(dead_code, reason = "the schema of ids in paths, which are resolved before a handler sees them")]
pub(in crate::http) struct IdOrPart(String);
