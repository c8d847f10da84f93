//! The body of a submission, from what the command line says.

use serde_json::{Map, Value, json};

use super::SubmitArgs;
use crate::cli::client::args::json as read_json;

/// Only what was given: what is left out is for the server, and the task's settings, to decide.
pub(super) fn of(args: &SubmitArgs) -> Result<Map<String, Value>, String> {
    let mut body = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    set("task", args.task.as_ref().map(|task| json!(task)));
    set("payload", args.payload.as_ref().map(|text| read_json("the payload", text)).transpose()?);
    set("queue", args.queue.as_ref().map(|name| json!(name)));
    set("priority", args.priority.map(|number| json!(number)));
    set("lane", args.lane.as_ref().map(|name| json!(name)));
    set("delay_seconds", args.delay.map(seconds));
    set("available_at", args.at.map(|at| json!(at.to_string())));
    set("max_attempts", args.max_attempts.map(|number| json!(number)));
    set("timeout_seconds", args.timeout.map(seconds));
    set("hold", args.hold.then_some(json!(true)));
    set("after", (!args.after.is_empty()).then(|| json!(args.after)));
    set("key", args.key.as_ref().map(|key| json!(key)));
    set("key_mode", args.key_mode.as_ref().map(|mode| json!(mode)));
    set("metadata", args.metadata.as_ref().map(|text| read_json("the metadata", text)).transpose()?);
    Ok(body)
}

/// Whole where it is whole.
fn seconds(span: jiff::SignedDuration) -> Value {
    if span.subsec_nanos() == 0 { json!(span.as_secs()) } else { json!(span.as_secs_f64()) }
}
