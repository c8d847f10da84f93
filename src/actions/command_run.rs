//! Cancels, pauses, resumes, enqueues or dismisses a run.

use super::By;
use crate::run::RunId;
use crate::run::lifecycle::{Command, CommandOutcome};
use crate::store::{Admission, Result, Store};

/// Carries the command out, or says why not.
pub async fn command_run(
    store: &dyn Store,
    by: &By,
    run: RunId,
    command: Command,
    admission: Admission,
) -> Result<CommandOutcome> {
    let outcomes = store.command(&by.workspace, &[run], command, admission).await?;
    let outcome = outcomes.into_iter().next().unwrap_or(CommandOutcome::NotFound);
    if done(outcome) {
        by.did(store, action(command), &run, None).await;
    }
    Ok(outcome)
}

fn done(outcome: CommandOutcome) -> bool {
    !matches!(
        outcome,
        CommandOutcome::NotHolding
            | CommandOutcome::Refused { .. }
            | CommandOutcome::QueueFull
            | CommandOutcome::NotFound
    )
}

fn action(command: Command) -> &'static str {
    match command {
        Command::Cancel => "run.cancel",
        Command::Pause => "run.pause",
        Command::Resume => "run.resume",
        Command::Enqueue => "run.enqueue",
        Command::Dismiss => "run.dismiss",
    }
}
