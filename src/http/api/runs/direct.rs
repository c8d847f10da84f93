//! Direct mode: the run is executed while its caller waits, under the cap of this process's worker.

use std::future::Future;
use std::time::Duration;

use axum::response::Response;
use tokio::sync::oneshot;

use super::submit;
use crate::actions::{DirectSlots, NoSlot, Reservation};
use crate::http::auth::Caller;
use crate::http::dto::{BatchOutcome, SubmitRun};
use crate::http::extract::Preferences;
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::{QueueName, RunId, Status, WorkspaceName};

/// The worker tells of most endings; others are seen by looking, less and less often.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

const RETRY_SECONDS: u32 = 1;

/// What a submission led to.
pub(super) type Settled = Result<(BatchOutcome, RunId), Problem>;

/// Refuses what would have to wait in a queue.
pub(super) fn check(body: &SubmitRun) -> Result<(), Problem> {
    let waits = [
        ("hold", body.hold == Some(true)),
        ("available_at", body.available_at.is_some()),
        ("delay_seconds", body.delay_seconds.is_some_and(|seconds| seconds > 0.0)),
        ("after", body.after.as_ref().is_some_and(|after| !after.is_empty())),
    ];
    match waits.into_iter().find(|(_, given)| *given) {
        Some((field, _)) => Err(no_queue(&format!("a run with `{field}` would have to wait")).field(field)),
        None => Ok(()),
    }
}

/// Refuses what only a queue could hold.
pub(super) fn no_queue(detail: &str) -> Problem {
    Problem::new(Code::QueueDisabled, format!("{detail}, and queue.enabled is false"))
        .hint("leave the field out, or use a server with a queue")
}

/// A slot for the run, or 429 and nothing is stored.
pub(super) fn reserve(slots: &dyn DirectSlots, run: RunId, queue: &QueueName) -> Result<Reservation, Problem> {
    slots.reserve(run, queue).map_err(|refused| match refused {
        NoSlot::Full => Problem::new(Code::ConcurrencyLimit, "every execution slot is busy; nothing was stored")
            .hint("try again later")
            .retry_after(RETRY_SECONDS),
        NoSlot::NotServed => no_queue(&format!("nobody here serves the queue {:?}", queue.as_str())).field("queue"),
        NoSlot::Leaving => {
            Problem::new(Code::ShuttingDown, "the worker accepts no more runs").retry_after(RETRY_SECONDS)
        }
    })
}

/// Submits, and answers once the run has ended, was paused, or the caller's patience or the server's time is over.
///
/// The run and its slot do not depend on the caller: should it hang up, they go on to the end.
pub(super) async fn execute(
    server: &Server,
    caller: &Caller,
    prefer: Preferences,
    slot: Reservation,
    submission: impl Future<Output = Settled> + Send + 'static,
) -> Result<Response, Problem> {
    let ((stored, is_stored), (over, is_over)) = (oneshot::channel(), oneshot::channel::<()>());
    tokio::spawn({
        let (server, workspace) = (server.clone(), caller.workspace.clone());
        async move {
            let settled = submission.await;
            let created = settled.as_ref().ok().filter(|(outcome, _)| *outcome == BatchOutcome::Created);
            let created = created.map(|(_, id)| *id);
            drop(stored.send(settled));
            if let Some(id) = created {
                wait_until_idle(&server, &workspace, id).await;
            }
            // Before the answer: whoever has it may ask for the next run.
            drop(slot);
            drop(over);
        }
    });
    let lost = |_| Problem::new(Code::ShuttingDown, "the server is shutting down").retry_after(RETRY_SECONDS);
    let (outcome, id) = is_stored.await.map_err(lost)??;
    let ended = async {
        match outcome {
            BatchOutcome::Created => drop(is_over.await),
            // A run that was there has a slot of its own, or will get one.
            _ => wait_until_idle(server, &caller.workspace, id).await,
        }
    };
    match prefer.wait {
        Some(wait) => drop(tokio::time::timeout(wait.min(server.api.limits.wait), ended).await),
        None => ended.await,
    }
    submit::answer(server, caller, Preferences { wait: None, ..prefer }, outcome, id).await
}

/// Waits until the run needs its slot no more: it has ended, or was paused. One that is to be tried again keeps it.
async fn wait_until_idle(server: &Server, workspace: &WorkspaceName, id: RunId) {
    let mut ended = server.api.ended.listen(id);
    let mut pause = FIRST_PAUSE;
    loop {
        match server.store().run(workspace, id).await {
            Ok(Some(run)) if !run.status().is_terminal() && run.status() != Status::Paused => {}
            Ok(_) => return,
            Err(error) => tracing::warn!(run = %id, error = error.in_full(), "cannot see how a run is going"),
        }
        tokio::select! {
            () = ended.rung() => {}
            () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
            () = server.stopping.cancelled() => return,
        }
    }
}
