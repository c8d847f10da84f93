//! The body of a submission, from what the command line says.

use serde::Serialize;

use super::SubmitArgs;
use crate::cli::client::args::json as read_json;
use crate::cli::client::batch::Body;
use crate::cli::client::doc::Doc;
use crate::cli::client::retry::seconds;

/// Only what was given: what is left out is for the server, and the task's settings, to decide.
pub(super) fn of(args: &SubmitArgs) -> Result<Body, String> {
    let mut body = Body::new();
    let mut set = |name: &str, value: Option<Doc>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    set("task", args.task.as_ref().map(doc));
    set("payload", args.payload.as_ref().map(|text| read_json("the payload", text)).transpose()?);
    set("queue", args.queue.as_ref().map(doc));
    set("priority", args.priority.map(doc));
    set("lane", args.lane.as_ref().map(doc));
    set("delay_seconds", args.delay.map(seconds));
    set("available_at", args.at.map(|at| doc(at.to_string())));
    set("start_by", args.start_by.map(|at| doc(at.to_string())));
    set("start_within_seconds", args.start_within.map(seconds));
    set("max_attempts", args.max_attempts.map(doc));
    set("timeout_seconds", args.timeout.map(seconds));
    set("retry", args.retry.policy());
    set("hold", args.hold.then_some(doc(true)));
    set("key", args.key.as_ref().map(doc));
    set("key_mode", args.key_mode.as_ref().map(doc));
    set("metadata", args.metadata.as_ref().map(|text| read_json("the metadata", text)).transpose()?);
    Ok(body)
}

fn doc(value: impl Serialize) -> Doc {
    Doc::of(&value)
}
