//! Work that is a Rust function of the worker's own process.

mod context;
mod error;

pub use context::Context;
pub use error::TaskError;

use std::any::Any;
use std::marker::PhantomData;
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::{JoinError, JoinHandle};

use super::{Completion, Control, Executor, Order, Work};
use crate::run::lifecycle::Retry;
use crate::run::{Json, RunError};

/// How long a function that was aborted is waited for: long enough for it to reach an await, if it has any.
const ABORT_WAIT: Duration = Duration::from_secs(5);

/// Executes a task by calling a function with its payload.
pub struct Native<P, F> {
    function: F,
    payload: PhantomData<fn(P)>,
}

impl<P, F> Native<P, F> {
    /// `function` gets the context of the attempt and the payload.
    pub fn new(function: F) -> Self {
        Self { function, payload: PhantomData }
    }
}

#[async_trait]
impl<P, F, Fut, T, E> Executor for Native<P, F>
where
    P: DeserializeOwned + Send + 'static,
    F: Fn(Context, P) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    T: Serialize + 'static,
    E: Into<TaskError> + 'static,
{
    async fn start(&self, work: &Work, mut control: Control) -> Completion {
        let payload = match serde_json::from_str(work.payload.as_str()) {
            Ok(payload) => payload,
            Err(error) => {
                let message = format!("the payload does not fit the task {}: {error}", work.task);
                return refused(RunError::new("invalid_payload", message));
            }
        };
        let context = Context::new(work.clone(), control.clone());
        let token = context.token().clone();
        let call = (self.function)(context, payload);
        // A task of its own, so that it can be ended from outside, and a panic ends the attempt and nothing else.
        let mut call = tokio::spawn(async move { call.await.map(|output| Json::of(&output)).map_err(Into::into) });
        let grace = tokio::select! {
            ended = &mut call => return completion(ended),
            order = control.ordered() => match order {
                Order::Stop { grace } => grace,
                _ => Duration::ZERO,
            },
        };
        token.cancel();
        tokio::select! {
            ended = &mut call => match completion(ended) {
                // It was told to stop, and did: whatever it calls that.
                Completion::Failed { .. } => stopped(&control),
                done => done,
            },
            () = tokio::time::sleep(grace) => abort(call, work, &control).await,
            () = control.left() => abort(call, work, &control.clone()).await,
        }
    }
}

/// Uses force: the function ends at its next await. One that has none cannot be ended, only disowned.
async fn abort<T>(call: JoinHandle<T>, work: &Work, control: &Control) -> Completion {
    call.abort();
    if tokio::time::timeout(ABORT_WAIT, call).await.is_err() {
        tracing::error!(run = %work.run, task = %work.task, "the function does not stop, because it blocks its thread");
    }
    stopped(control)
}

fn stopped(control: &Control) -> Completion {
    if control.order() == Order::Leave { Completion::Left } else { Completion::Stopped }
}

type Ended = Result<Result<Result<Json, crate::run::InvalidJson>, TaskError>, JoinError>;

fn completion(ended: Ended) -> Completion {
    match ended {
        Ok(Ok(Ok(output))) => Completion::Succeeded { output: (output.as_str() != "null").then_some(output) },
        Ok(Ok(Err(error))) => refused(RunError::new("invalid_output", format!("the output cannot be stored: {error}"))),
        Ok(Err(failure)) => Completion::Failed { error: failure.error, retry: failure.retry },
        Err(error) if error.is_panic() => {
            let message = format!("the function panicked: {}", panic_message(&*error.into_panic()));
            Completion::failed("panicked", message)
        }
        Err(_) => Completion::failed("aborted", "the runtime shut down while the function ran"),
    }
}

fn refused(error: RunError) -> Completion {
    Completion::Failed { error, retry: Retry::Never }
}

/// What a panic had to say.
pub(crate) fn panic_message(cause: &(dyn Any + Send)) -> &str {
    let text = cause.downcast_ref::<&str>().copied().or_else(|| cause.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message")
}
