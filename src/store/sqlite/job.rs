//! Sends a verb to a thread that has a connection, and its answer back.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures::FutureExt;
use tokio::sync::oneshot;

use super::session::Session;
use crate::store::{Result, StoreError};

/// A verb that waits for a connection. Running it and answering it are apart, since the commit lies between. It can be
/// run again, after what it did was rolled back: its last result counts.
pub(super) trait Job: Send {
    /// Whether the caller still waits.
    fn is_wanted(&self) -> bool;
    /// Runs the verb; `false` if it failed and left nothing to keep. A panic is a failure, too.
    fn run(&mut self, session: &mut Session) -> bool;
    /// Takes back a success: the transaction came to nothing.
    fn fail(&mut self, reason: &Failure);
    /// Answers the caller.
    fn answer(self: Box<Self>);
}

/// Why a whole transaction came to nothing.
#[derive(Clone)]
pub(super) struct Failure(pub(super) Arc<rusqlite::Error>);

impl Failure {
    /// After an I/O error during the commit, what had been written may turn up again when the file is next opened.
    fn to_error(&self, doing: &'static str) -> StoreError {
        let source = Box::new(Arc::clone(&self.0));
        match self.0.sqlite_error_code() {
            Some(rusqlite::ErrorCode::SystemIoFailure) => StoreError::Ambiguous(source),
            _ => StoreError::Database { doing, source },
        }
    }
}

/// The job that runs `verb`, and where its answer will arrive.
pub(super) fn job<R, F>(doing: &'static str, verb: F) -> (Box<dyn Job>, oneshot::Receiver<Result<R>>)
where
    R: Send + 'static,
    F: Fn(&mut Session) -> Result<R> + Send + 'static,
{
    let (answer, answered) = oneshot::channel();
    (Box::new(Verb { doing, verb, result: None, answer }), answered)
}

struct Verb<F, R> {
    doing: &'static str,
    verb: F,
    /// None until it was run.
    result: Option<Result<R>>,
    answer: oneshot::Sender<Result<R>>,
}

impl<R, F> Job for Verb<F, R>
where
    R: Send,
    F: Fn(&mut Session) -> Result<R> + Send,
{
    fn is_wanted(&self) -> bool {
        !self.answer.is_closed()
    }

    fn run(&mut self, session: &mut Session) -> bool {
        let result = match catch_unwind(AssertUnwindSafe(|| (self.verb)(session))) {
            Ok(result) => result.map_err(|error| named(error, self.doing)),
            Err(panic) => Err(panicked(self.doing, panic.as_ref())),
        };
        self.result.insert(result).is_ok()
    }

    fn fail(&mut self, reason: &Failure) {
        if !matches!(self.result, Some(Err(_))) {
            self.result = Some(Err(reason.to_error(self.doing)));
        }
    }

    fn answer(self: Box<Self>) {
        // A caller that has gone away does not want to know.
        drop(self.answer.send(self.result.unwrap_or(Err(StoreError::Closed))));
    }
}

fn named(error: StoreError, doing: &'static str) -> StoreError {
    match error {
        StoreError::Database { source, .. } => StoreError::Database { doing, source },
        other => other,
    }
}

fn panicked(doing: &'static str, panic: &(dyn Any + Send)) -> StoreError {
    let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    let message = format!("panicked: {}", said.unwrap_or("without a message"));
    tracing::error!(doing, message, "a verb panicked; its changes were rolled back");
    StoreError::Database { doing, source: message.into() }
}

/// Runs one of the shared verbs to its end. Statements of SQLite never wait, so neither does the verb.
pub(super) fn now<R>(verb: impl Future<Output = Result<R>>) -> Result<R> {
    verb.now_or_never().unwrap_or_else(|| panic!("a verb waited for something other than its statements"))
}
