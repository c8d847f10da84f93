//! Waits until a run has ended.

use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout_at};

use super::EndSignal;
use crate::run::{Run, RunId, WorkspaceName};
use crate::store::{Result, Store};

/// Looks at first often, since much work is short, then less and less.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// The run as it is once it has ended, or after `patience`; `None` if there is no such run. Of runs that end in this
/// process, `ended` tells at once.
pub async fn wait_for_run(
    store: &dyn Store,
    workspace: &WorkspaceName,
    id: RunId,
    patience: Duration,
    ended: &EndSignal,
) -> Result<Option<Run>> {
    let until = Instant::now() + patience;
    let mut pause = FIRST_PAUSE;
    let mut ended = ended.listen(id);
    let mut seen = store.run(workspace, id).await?;
    while let Some(run) = &seen {
        let next = Instant::now() + pause;
        if run.status().is_terminal() || Instant::now() >= until {
            break;
        }
        tokio::select! {
            () = sleep_until(next.min(until)) => {}
            () = ended.rung() => {}
        }
        // A store that answers late must not make the caller wait longer than it asked for.
        match timeout_at(until + LONGEST_PAUSE, store.run(workspace, id)).await {
            Ok(found) => seen = found?,
            Err(_) => break,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    Ok(seen)
}
