//! Work as teams have it, simulated: a few steps with log lines, and an output that follows from the payload.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::invalid;
use crate::executor::native::{Context, TaskError};

/// How long each step pretends to take.
const STEP: Duration = Duration::from_millis(100);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Email {
    to: String,
    subject: String,
    #[serde(default)]
    body: String,
}

pub(super) async fn send_email(ctx: Context, email: Email) -> Result<Value, TaskError> {
    let Some((_, domain)) = email.to.split_once('@').filter(|(name, domain)| !name.is_empty() && !domain.is_empty())
    else {
        return Err(invalid("to", format!("{:?} is not an address", email.to)));
    };
    steps(&ctx, &[&format!("connecting to the server of {domain}"), &format!("handing over to {}", email.to)]).await?;
    let id = digest(&[&email.to, &email.subject, &email.body]);
    Ok(json!({ "message_id": format!("{id:016x}@{domain}"), "bytes": email.body.len() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resize {
    source: String,
    width: u32,
    height: u32,
}

pub(super) async fn resize_image(ctx: Context, resize: Resize) -> Result<Value, TaskError> {
    for (field, pixels) in [("width", resize.width), ("height", resize.height)] {
        if !(1..=20_000).contains(&pixels) {
            return Err(invalid(field, format!("{pixels} is not between 1 and 20000")));
        }
    }
    steps(&ctx, &[&format!("reading {}", resize.source), "scaling", "writing"]).await?;
    let bytes = u64::from(resize.width) * u64::from(resize.height) / 4;
    Ok(json!({ "width": resize.width, "height": resize.height, "bytes": bytes }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Summarize {
    text: String,
    #[serde(default = "twelve")]
    max_words: usize,
}

fn twelve() -> usize {
    12
}

pub(super) async fn summarize_text(ctx: Context, request: Summarize) -> Result<Value, TaskError> {
    let words: Vec<&str> = request.text.split_whitespace().collect();
    if words.is_empty() {
        return Err(invalid("text", "there is nothing to summarize"));
    }
    steps(&ctx, &[&format!("reading {} words", words.len())]).await?;
    ctx.usage("tokens", words.len() as u64).await?;
    let kept = words.len().min(request.max_words.max(1));
    let more = if kept < words.len() { " …" } else { "" };
    Ok(json!({ "summary": format!("{}{more}", words[..kept].join(" ")), "words": words.len() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Webhook {
    url: String,
    #[serde(default)]
    body: Value,
}

pub(super) async fn webhook_delivery(ctx: Context, webhook: Webhook) -> Result<Value, TaskError> {
    let host = webhook.url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
    let Some((_, rest)) = host.filter(|(_, rest)| !rest.is_empty()) else {
        return Err(invalid("url", format!("{:?} is not an http or https URL", webhook.url)));
    };
    let host = rest.split('/').next().unwrap_or(rest);
    steps(&ctx, &[&format!("connecting to {host}"), "waiting for the answer"]).await?;
    // A name that stands for nobody, by RFC 6761: a way to see retries.
    if host.ends_with(".invalid") {
        return Err(TaskError::new("connection_failed", format!("{host} does not answer")));
    }
    Ok(json!({ "status": 200, "bytes_sent": webhook.body.to_string().len() }))
}

async fn steps(ctx: &Context, steps: &[&str]) -> Result<(), TaskError> {
    for (done, step) in steps.iter().enumerate() {
        ctx.log(*step).await?;
        tokio::select! {
            () = ctx.cancelled() => return Err(TaskError::new("stopped", "told to stop")),
            () = tokio::time::sleep(STEP) => {}
        }
        ctx.progress((done + 1) as f64 / steps.len() as f64, *step).await?;
    }
    Ok(())
}

/// FNV-1a: the same text, the same number, on every machine.
fn digest(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
