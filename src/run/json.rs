//! JSON that was checked once and is carried as the text it came in.

use std::sync::Arc;

use serde_json::value::RawValue;

/// Well-formed JSON without NUL characters, kept as its text so that no hot path parses it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json(Arc<str>);

/// Text that is not usable JSON, and why.
#[derive(Debug, thiserror::Error)]
pub enum InvalidJson {
    /// It does not parse.
    #[error("not valid JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// PostgreSQL cannot store U+0000 in text, so nobody may.
    #[error("contains \\u0000, which cannot be stored; remove it or encode it differently")]
    Nul,
}

impl Json {
    /// Checks `text` and keeps it.
    pub fn parse(text: impl Into<Arc<str>>) -> Result<Self, InvalidJson> {
        let text = text.into();
        serde_json::from_str::<&RawValue>(&text)?;
        if has_nul_escape(&text) {
            return Err(InvalidJson::Nul);
        }
        Ok(Self(text))
    }

    /// The JSON of any serializable value.
    pub fn of(value: &impl serde::Serialize) -> Result<Self, InvalidJson> {
        Self::parse(serde_json::to_string(value)?)
    }

    /// Takes text that a store checked when it was written.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn from_storage(text: String) -> Self {
        Self(text.into())
    }

    /// `null`.
    pub fn null() -> Self {
        Self("null".into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An escape counts only where its backslash is not itself escaped.
fn has_nul_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(step) = bytes[at..].iter().position(|b| *b == b'\\') {
        let escape = at + step;
        if bytes[escape..].starts_with(b"\\u0000") {
            return true;
        }
        at = escape + 2;
        if at >= bytes.len() {
            return false;
        }
    }
    false
}

impl serde::Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Json {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_escape_is_refused_but_an_escaped_backslash_is_not() {
        assert!(matches!(Json::parse(r#""a\u0000b""#), Err(InvalidJson::Nul)));
        assert!(matches!(Json::parse(r#""a\\\u0000""#), Err(InvalidJson::Nul)));
        assert!(Json::parse(r#""a\\u0000""#).is_ok());
        assert!(Json::parse(r#""a\\""#).is_ok());
        assert!(Json::parse("{").is_err());
    }
}
