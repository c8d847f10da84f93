//! Values of the file: what may be read from them, and how they are called in a message.

use std::num::{NonZeroU16, NonZeroU32};
use std::path::PathBuf;
use std::str::FromStr;

use toml::de::DeValue;

/// What a value of the file can become.
pub(super) trait FromToml: Sized {
    /// For a message: "must be …".
    const IS: &'static str;

    fn from_toml(value: &DeValue<'_>) -> Option<Self>;
}

impl FromToml for String {
    const IS: &'static str = "text in quotes";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl FromToml for PathBuf {
    const IS: &'static str = "a path in quotes";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().map(PathBuf::from)
    }
}

impl FromToml for Vec<String> {
    const IS: &'static str = "an array of texts, as in [\"a\", \"b\"]";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_array()?.iter().map(|item| String::from_toml(item.get_ref())).collect()
    }
}

impl FromToml for Vec<u8> {
    const IS: &'static str = "an array of whole numbers from 0 to 255, as in [65, 78]";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_array()?.iter().map(|item| integer(item.get_ref())).collect()
    }
}

impl FromToml for u64 {
    const IS: &'static str = "a whole number, 0 or more";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        integer(value)
    }
}

impl FromToml for u32 {
    const IS: &'static str = "a whole number from 0 to 4294967295";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        integer(value)
    }
}

impl FromToml for NonZeroU32 {
    const IS: &'static str = "a whole number from 1 to 4294967295";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        integer(value)
    }
}

impl FromToml for NonZeroU16 {
    const IS: &'static str = "a whole number from 1 to 65535";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        integer(value)
    }
}

fn integer<T: FromStr>(value: &DeValue<'_>) -> Option<T> {
    integer_text(value)?.parse().ok()
}

/// A whole number in decimal digits, however it is written.
pub(super) fn integer_text(value: &DeValue<'_>) -> Option<String> {
    let written = value.as_integer()?;
    i128::from_str_radix(written.as_str(), written.radix()).ok().map(|number| number.to_string())
}

/// What it is, to whoever wrote something else than was expected.
pub(super) fn words(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.chars().count() <= 40 => format!("{text:?}"),
        DeValue::String(_) => "text".into(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(is) => is.to_string(),
        DeValue::Datetime(_) => "a date or time".into(),
        DeValue::Array(_) => "an array".into(),
        DeValue::Table(_) => "a table".into(),
    }
}
