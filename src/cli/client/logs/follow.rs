//! Follows a run's events until it ends. A connection that is lost is made again, and goes on after the last event seen.

use std::process::ExitCode;
use std::time::Duration;

use super::Printer;
use crate::cli::Failure;
use crate::cli::client::doc::Doc;
use crate::cli::client::problem::ApiError;
use crate::cli::client::remote::Remote;
use crate::cli::client::render::plain;
use crate::cli::client::sse::{Decoder, Message};
use crate::cli::client::{exit, seen};

/// Between two connections; longer while nobody answers.
const FIRST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(5);

/// A server says something every few seconds, if only that it is there.
const SILENCE: Duration = Duration::from_secs(60);

/// How a stream ended.
enum End {
    /// With the run, which has ended so.
    Run(Box<seen::Run>),
    /// Before it, after so many events.
    Lost(u64),
}

/// Exits by how the run ended.
pub(super) async fn follow(remote: &Remote, id: &str, mut printer: Printer) -> Result<ExitCode, Failure> {
    let (mut last, mut pause, mut told) = (None, FIRST, false);
    loop {
        match listen(remote, id, &mut last, &mut printer).await {
            Ok(End::Run(run)) => return Ok(ended(&run)),
            Ok(End::Lost(heard)) => {
                if heard > 0 {
                    (pause, told) = (FIRST, false);
                }
            }
            // The first connection must succeed: a wrong address is no lost connection.
            Err(ApiError::Unreachable { .. }) if last.is_some() || told => {}
            Err(error) => return Err(error.into()),
        }
        if !std::mem::replace(&mut told, true) {
            eprintln!("── connection lost; reconnecting");
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST);
    }
}

async fn listen(remote: &Remote, id: &str, last: &mut Option<String>, printer: &mut Printer) -> Result<End, ApiError> {
    let mut response = remote.stream(&["runs", id, "events"], last.as_deref()).await?;
    let (mut decoder, mut heard) = (Decoder::default(), 0);
    // An error here, or silence, is a connection that was lost.
    while let Ok(Ok(Some(piece))) = tokio::time::timeout(SILENCE, response.chunk()).await {
        for message in decoder.take(&piece) {
            heard += 1;
            if message.event == "end" {
                let run: seen::Run = serde_json::from_str(&message.data).unwrap_or_default();
                return Ok(End::Run(Box::new(run)));
            }
            show(&message, printer);
            if message.id.is_some() {
                last.clone_from(&message.id);
            }
        }
    }
    Ok(End::Lost(heard))
}

/// What cannot be read is shown as it is: a later release may say more than this one knows.
fn show(message: &Message, printer: &mut Printer) {
    let shown = serde_json::from_str::<Doc>(&message.data).is_ok_and(|event| printer.print(&event).is_ok());
    if !shown {
        eprintln!("── {}", plain(&message.data));
    }
}

/// The last event says how the run ended; nobody need be asked again.
fn ended(run: &seen::Run) -> ExitCode {
    let why = run.error.as_ref().map(|error| format!(": {}", plain(&error.message))).unwrap_or_default();
    eprintln!("── {}{why}", plain(&run.status));
    exit::of_run(run)
}
