//! `runlane runs show`: a run in full.

use std::process::ExitCode;

use crate::cli::Failure;
use crate::cli::client::remote::Remote;
use crate::cli::client::render::{Paint, card, now};
use crate::cli::client::{print_json, say, seen};

pub(super) async fn show(remote: &Remote, id: &str, json: bool) -> Result<ExitCode, Failure> {
    let answer = remote.get(&["runs", id]).await?;
    if json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let attempts = seen::list(&remote.get(&["runs", id, "attempts"]).await?)?;
    say(&card(&seen::read(&answer)?, &attempts, Paint::for_stdout(), now()));
    Ok(ExitCode::SUCCESS)
}
