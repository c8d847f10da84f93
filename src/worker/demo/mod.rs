//! Tasks to try things out with. They reach nothing outside: what they claim to do is simulated, the same each time.

mod simulated;

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Builder, TaskSet};
use crate::executor::native::{Context, TaskError};
use crate::run::Json;

/// Their names.
pub const DEMO_TASKS: [&str; 7] =
    ["echo", "sleep", "fail", "send_email", "resize_image", "summarize_text", "webhook_delivery"];

/// Adds the demo tasks to a worker.
#[must_use]
pub fn with_demo_tasks(builder: Builder) -> Builder {
    builder.tasks(demo_tasks())
}

/// The demo tasks by themselves.
pub fn demo_tasks() -> TaskSet {
    TaskSet::new()
        .task("echo", |_, payload: Json| async move { Ok::<_, TaskError>(payload) })
        .task("sleep", sleep)
        .task("fail", fail)
        .task("send_email", simulated::send_email)
        .task("resize_image", simulated::resize_image)
        .task("summarize_text", simulated::summarize_text)
        .task("webhook_delivery", simulated::webhook_delivery)
}

/// Takes its time, and says how far it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sleep {
    seconds: f64,
}

async fn sleep(ctx: Context, payload: Sleep) -> Result<Value, TaskError> {
    let whole = Duration::try_from_secs_f64(payload.seconds)
        .map_err(|error| invalid("seconds", format!("{}: {error}", payload.seconds)))?;
    let steps = 10;
    for step in 1..=steps {
        tokio::select! {
            () = ctx.cancelled() => return Err(TaskError::new("stopped", "told to stop while asleep")),
            () = tokio::time::sleep(whole / steps) => {}
        }
        ctx.progress(f64::from(step) / f64::from(steps), format!("{step} of {steps}")).await?;
    }
    Ok(json!({ "slept_seconds": payload.seconds }))
}

/// Fails as often as told, then succeeds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fail {
    times: u32,
}

async fn fail(ctx: Context, payload: Fail) -> Result<Value, TaskError> {
    if ctx.attempt() <= payload.times {
        let message = format!("attempt {} fails, as asked", ctx.attempt());
        ctx.log(message.clone()).await?;
        return Err(TaskError::new("asked_to_fail", message));
    }
    Ok(json!({ "succeeded_at_attempt": ctx.attempt() }))
}

/// A payload that cannot be used: trying again would not help.
fn invalid(field: &str, why: impl std::fmt::Display) -> TaskError {
    TaskError::new("invalid_payload", format!("{field}: {why}")).fatal()
}
