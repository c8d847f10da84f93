//! What payloads a task takes: a JSON Schema, in the file itself or in one of its own.

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::section::Section;
use super::value::words;

pub(super) fn read(section: &mut Section<'_, '_>) -> Option<Value> {
    let value = section.take("schema")?;
    let wrong = |error: String| section.source.error(value.span(), format!("`schema` {error}"));
    let schema = load(value).map_err(wrong).ok()?;
    check(&schema).map_err(wrong).ok()?;
    Some(schema)
}

fn load(value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
    match value.get_ref() {
        DeValue::String(path) => {
            let text = std::fs::read_to_string(path.as_ref()).map_err(|error| format!("{path}: {error}"))?;
            serde_json::from_str(&text).map_err(|error| {
                format!("{path} is not JSON: {}", runlane::run::explain_json_mistake(text.as_bytes(), &error))
            })
        }
        DeValue::Table(_) => {
            let table = toml::Table::deserialize(ValueDeserializer::from(value.clone()));
            let table = table.map_err(|error| error.message().to_owned())?;
            serde_json::to_value(table).map_err(|error| error.to_string())
        }
        other => Err(format!("must be a table, or the path of a JSON file in quotes, not {}", words(other))),
    }
}

#[cfg(feature = "api")]
fn check(schema: &Value) -> Result<(), String> {
    match jsonschema::validator_for(schema) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("is no JSON Schema: {error}")),
    }
}

/// Only the API goes by it.
#[cfg(not(feature = "api"))]
fn check(_: &Value) -> Result<(), String> {
    Ok(())
}
