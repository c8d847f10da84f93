//! Streams a run's events as they come, until the run has ended.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use tokio::sync::OwnedSemaphorePermit;

use crate::http::dto::{Ended, Event};
use crate::http::problem::{Code, Problem};
use crate::http::state::Server;
use crate::run::{RunId, WorkspaceName};
use crate::store;

const PAGE: usize = 200;

/// Looks often while much happens, then less and less.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Often enough for proxies, which cut what is silent for a minute or half of one.
const HEARTBEAT: Duration = Duration::from_secs(15);

const RETRY_SECONDS: u32 = 5;

/// A stream of what comes after the event `after`.
pub(super) async fn open(server: Server, workspace: WorkspaceName, id: RunId, after: i64) -> Result<Response, Problem> {
    let Ok(permit) = server.streams.clone().try_acquire_owned() else {
        let detail = format!("{} event streams are open, which is the limit", server.api.limits.streams);
        return Err(Problem::new(Code::TooManyStreams, detail)
            .hint("try again later, or read events in pages")
            .retry_after(RETRY_SECONDS));
    };
    if server.store().run(&workspace, id).await?.is_none() {
        return Err(Problem::no_run(&id.to_string()));
    }
    let follower = Follower { server, workspace, id, after, ready: VecDeque::new(), over: false, _permit: permit };
    let events = stream::unfold(follower, |mut follower| async move {
        let event = follower.next().await?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    let stream = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    // Proxies that gather an answer before they pass it on would hold everything back.
    Ok(([("x-accel-buffering", "no")], stream).into_response())
}

struct Follower {
    server: Server,
    workspace: WorkspaceName,
    id: RunId,
    after: i64,
    ready: VecDeque<sse::Event>,
    over: bool,
    _permit: OwnedSemaphorePermit,
}

impl Follower {
    /// The next event; `None` once there will be none.
    async fn next(&mut self) -> Option<sse::Event> {
        let mut pause = FIRST_PAUSE;
        let mut ended = self.server.api.ended.listen(self.id);
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.over {
                return None;
            }
            match self.look().await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => tracing::warn!(error = error.in_full(), "an event stream has to wait"),
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
                () = ended.rung() => {}
                // The client comes back with the number it saw last, to another server.
                () = self.server.stopping.cancelled() => return None,
            }
        }
    }

    /// Gets what there is; whether there was anything. The run is looked at first: what it said before it ended is
    /// stored by then.
    async fn look(&mut self) -> store::Result<bool> {
        let store = self.server.store();
        let run = store.run(&self.workspace, self.id).await?;
        let events = store.events(&self.workspace, self.id, self.after, PAGE).await?.unwrap_or_default();
        if let Some(last) = events.last() {
            self.after = last.seq;
            self.ready.extend(events.into_iter().filter_map(written));
            return Ok(true);
        }
        match run {
            Some(run) if !run.status().is_terminal() => Ok(false),
            Some(run) => {
                let ended = Ended { status: run.status(), error: run.error };
                self.ready.extend(sse::Event::default().event("end").json_data(ended).ok());
                self.over = true;
                Ok(true)
            }
            // Forgotten meanwhile.
            None => {
                self.over = true;
                Ok(true)
            }
        }
    }
}

fn written(event: store::Event) -> Option<sse::Event> {
    let line = sse::Event::default().id(event.seq.to_string()).event(event.kind.as_str());
    line.json_data(Event::from(event)).ok()
}
