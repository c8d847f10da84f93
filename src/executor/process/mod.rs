//! Work that is a program of its own, which goes on when its worker does not.
//!
//! A worker does not start the program itself but a [`shim`], which does. The two speak through files in the attempt's
//! directory, so that any worker on the machine can take the place of the first.

mod assignment;
mod attempts;
mod directory;
mod follow;
mod foreign;
mod host;
mod host_id;
mod identity;
mod launch;
mod lease;
mod leftover;
mod lock;
mod outcome;
mod record;
mod remains;
pub mod shim;
mod shims;
mod ship;
mod task;
mod zygote;

pub use foreign::Emptied;
pub use host::ProcessHost;
pub use leftover::Leftover;
pub use task::{InvalidTask, ProcessLimits, ProcessTask, ProcessUser};

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use self::directory::Directory;
use self::follow::Followed;
use self::identity::Handle;
use super::{Completion, Control, Executor, Work};

/// Executes a task by running a program.
pub struct ProcessExecutor {
    host: Arc<ProcessHost>,
    task: ProcessTask,
}

/// What there is of an attempt.
enum Found {
    Ended,
    Running(Handle),
    Nothing,
}

impl ProcessExecutor {
    /// Refuses settings that could not work, by the name of the field.
    pub fn new(host: Arc<ProcessHost>, task: ProcessTask) -> Result<Self, InvalidTask> {
        Ok(Self { host, task: task.checked()? })
    }

    /// What another worker looks after is its to discard.
    fn forget_if_left(&self, work: &Work, completion: Completion) -> Completion {
        if completion == Completion::Left {
            self.host.attempts().forget(work.run, work.attempt);
        }
        completion
    }

    async fn take_over(&self, directory: &Directory, work: &Work, control: &Control) -> io::Result<Completion> {
        // First of all: from here on, an earlier worker has no say.
        self.write_lease(directory, work.epoch, control)?;
        if directory.is_taken_over(work.epoch) {
            return Ok(Completion::Left);
        }
        match look(directory)? {
            Found::Ended => return Ok(self.conclude(directory, work, control.clone()).await),
            Found::Running(shim) => {
                return Ok(self.follow(directory, work, Followed::Adopted(shim), control.clone()).await);
            }
            Found::Nothing => {}
        }
        // A shim may be about to start: it reads the order before it starts anything, or is seen now.
        directory.stop(work.epoch, Duration::ZERO).await?;
        Ok(match look(directory)? {
            Found::Ended => self.conclude(directory, work, control.clone()).await,
            _ => self.lost(directory, work).await,
        })
    }
}

#[async_trait]
impl Executor for ProcessExecutor {
    async fn start(&self, work: &Work, control: Control) -> Completion {
        let completion = match self.launch(work, &control).await {
            Ok(Ok((shim, directory))) => self.follow(&directory, work, Followed::Own(shim), control).await,
            Ok(Err(completion)) => completion,
            Err(error) => Completion::failed("start_failed", format!("cannot begin the attempt: {error}")),
        };
        self.forget_if_left(work, completion)
    }

    async fn adopt(&self, work: &Work, control: Control) -> Completion {
        let attempts = self.host.attempts();
        let directory = match attempts.find(work.run, work.attempt) {
            Ok(Some(directory)) => directory,
            Ok(None) => return Completion::NotFound,
            Err(error) => {
                tracing::warn!(run = %work.run, attempt = work.attempt, %error, "cannot adopt the attempt");
                return self.lost_without_directory(work).await;
            }
        };
        attempts.remember(work.run, work.attempt, directory.dir().place());
        let completion = match self.take_over(&directory, work, &control).await {
            Ok(completion) => completion,
            Err(error) => {
                tracing::error!(run = %work.run, attempt = work.attempt, %error, "cannot adopt the attempt");
                self.lost(&directory, work).await
            }
        };
        self.forget_if_left(work, completion)
    }

    async fn discard(&self, work: &Work) {
        if let Err(error) = self.host.discard(work.run, work.attempt).await {
            tracing::warn!(run = %work.run, attempt = work.attempt, %error, "cannot remove the files of the attempt");
        }
    }

    fn is_detachable(&self) -> bool {
        true
    }
}

fn look(directory: &Directory) -> io::Result<Found> {
    let shim = directory.shim_at_work()?;
    // Read after the look for the shim: one that ended the attempt in between has written its record before.
    match (shim, directory.exit_record()?) {
        (_, Some(_)) => Ok(Found::Ended),
        (Some(shim), None) => Ok(Found::Running(shim)),
        (None, None) => Ok(Found::Nothing),
    }
}
