//! Values of the file: what may be read from them, and how they are called in a message.

use std::num::{NonZeroU16, NonZeroU32};
use std::path::PathBuf;
use std::str::FromStr;

use serde_json::Value;
use toml::Spanned;
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

impl FromToml for u16 {
    const IS: &'static str = "a whole number from 0 to 65535";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        integer(value)
    }
}

impl FromToml for i16 {
    const IS: &'static str = "a whole number from -32768 to 32767";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        integer(value)
    }
}

impl FromToml for f64 {
    const IS: &'static str = "a number";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        match value {
            DeValue::Float(number) => number.as_str().parse().ok(),
            other => integer_text(other)?.parse().ok(),
        }
    }
}

impl FromToml for bool {
    const IS: &'static str = "true or false";

    fn from_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_bool()
    }
}

/// The value as JSON; dates and times become text.
pub(super) fn as_json(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(is) => Value::from(*is),
        DeValue::Datetime(at) => Value::from(at.to_string()),
        DeValue::Integer(_) => {
            let text = integer_text(value).unwrap_or_default();
            Value::Number(text.parse().map_err(|_| format!("has a number that JSON does not take: {text}"))?)
        }
        DeValue::Float(number) => {
            let text = number.as_str();
            let float = text.parse().ok().and_then(serde_json::Number::from_f64);
            Value::Number(float.ok_or_else(|| format!("has a number that JSON does not take: {text}"))?)
        }
        DeValue::Array(items) => {
            items.iter().map(|item| as_json(item.get_ref())).collect::<Result<Vec<_>, _>>()?.into()
        }
        DeValue::Table(table) => {
            let field = |(key, item): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
                let key: &Spanned<std::borrow::Cow<'_, str>> = key;
                Ok((key.get_ref().to_string(), as_json(item.get_ref())?))
            };
            Value::Object(table.iter().map(field).collect::<Result<_, String>>()?)
        }
    })
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
