//! What a file says schedules are meant to be: TOML tables as in `runlane.toml`, or JSON.

use serde_json::{Map, Value};

use crate::cli::client::batch::Body;
use crate::cli::client::doc::Doc;

/// What one schedule is meant to be.
pub(super) struct Wanted {
    pub(super) name: String,
    /// Where, if the file says so.
    pub(super) workspace: Option<String>,
    /// What is sent.
    pub(super) body: Body,
}

/// All schedules of a file. Other tables of a `runlane.toml` are left alone.
pub(super) fn read(file: &str, text: &str) -> Result<Vec<Wanted>, String> {
    let found = match is_json(file, text) {
        true => from_json(text)?,
        false => from_toml(file, text)?,
    };
    if found.is_empty() {
        let file = if file == "-" { "standard input" } else { file };
        return Err(format!("there are no schedules in {file}; write a table [schedules.NAME] for each"));
    }
    Ok(found)
}

/// A TOML table begins with a bracket as well, but with a name in it.
fn is_json(file: &str, text: &str) -> bool {
    let mut letters = text.trim_start().chars();
    let first = letters.next();
    let second = letters.find(|letter| !letter.is_whitespace());
    file.ends_with(".json") || first == Some('{') || first == Some('[') && matches!(second, Some('{' | ']'))
}

/// One schedule, an array of them, or an object with them by name in `schedules`.
fn from_json(text: &str) -> Result<Vec<Wanted>, String> {
    let wrong = |error: serde_json::Error| format!("the file is not JSON of schedules: {error}");
    if text.trim_start().starts_with('[') {
        let bodies: Vec<Body> = serde_json::from_str(text).map_err(wrong)?;
        return bodies.into_iter().enumerate().map(|(at, body)| named(&format!("schedule {}", at + 1), body)).collect();
    }
    let body: Body = serde_json::from_str(text).map_err(wrong)?;
    match body.get("schedules") {
        None => Ok(vec![named("the schedule", body)?]),
        Some(schedules) => {
            let schedules: std::collections::BTreeMap<String, Body> = schedules.read().map_err(wrong)?;
            schedules.into_iter().map(|(name, body)| wanted(name, body)).collect()
        }
    }
}

fn named(which: &str, mut body: Body) -> Result<Wanted, String> {
    let name = body.remove("name").and_then(|name| name.read().ok());
    wanted(name.ok_or_else(|| format!("{which} has no \"name\", by which it would be found again"))?, body)
}

fn wanted(name: String, mut body: Body) -> Result<Wanted, String> {
    let workspace = match body.remove("workspace") {
        Some(workspace) => Some(workspace.read().map_err(|_| format!("the workspace of {name:?} is not text"))?),
        None => None,
    };
    Ok(Wanted { name, workspace, body })
}

fn from_toml(file: &str, text: &str) -> Result<Vec<Wanted>, String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| format!("{file} is not TOML: {error}"))?;
    let Some(schedules) = table.get("schedules") else { return Ok(Vec::new()) };
    let schedules = schedules.as_table().ok_or("`schedules` must be a table")?;
    let schedule = |(name, keys): (&String, &toml::Value)| {
        let keys = keys.as_table().ok_or_else(|| format!("schedules.{name} must be a table"))?;
        wanted(name.clone(), keys.iter().map(|(key, value)| (key.clone(), Doc::of(&as_json(value)))).collect())
    };
    schedules.iter().map(schedule).collect()
}

/// Dates and times become text.
fn as_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::Datetime(at) => Value::from(at.to_string()),
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => Value::from(*number),
        toml::Value::Boolean(is) => Value::from(*is),
        toml::Value::Array(items) => items.iter().map(as_json).collect::<Vec<_>>().into(),
        toml::Value::Table(table) => {
            Value::Object(table.iter().map(|(key, item)| (key.clone(), as_json(item))).collect::<Map<_, _>>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(file: &str, text: &str) -> Vec<String> {
        read(file, text).expect("schedules").into_iter().map(|schedule| schedule.name).collect()
    }

    #[test]
    fn schedules_are_read_from_toml_and_from_json() {
        let toml = "concurrency = 2\n[schedules.\"a b\"]\ntask = \"t\"\nat = 2030-01-01T00:00:00Z\n[schedules.c]\ntask = \"t\"\n";
        assert_eq!(names("runlane.toml", toml), ["a b", "c"]);
        let found = read("-", toml).expect("schedules");
        assert_eq!(found[0].body["at"].to_string(), "\"2030-01-01T00:00:00Z\"");
        assert_eq!(names("-", r#"{"name": "a", "task": "t"}"#), ["a"]);
        assert_eq!(names("-", r#"[{"name": "a", "task": "t"}, {"name": "b"}]"#), ["a", "b"]);
        assert_eq!(names("-", r#"{"schedules": {"a": {"task": "t"}}}"#), ["a"]);
        assert_eq!(names("-", "[schedules.a]\ntask = \"t\""), ["a"]);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let error = |text| read("-", text).map(drop).expect_err("refused");
        assert!(error(r#"[{"task": "t"}]"#).contains("schedule 1 has no \"name\""));
        assert!(error("").contains("[schedules.NAME]"));
        assert!(error("a = ").contains("not TOML"));
    }
}
