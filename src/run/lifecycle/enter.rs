//! How a run comes in, and what keeps it from being ready.

use jiff::Timestamp;

use crate::run::{BlockedBy, NewRun, Run, State};

/// The run that `request` asks for. `seq` is the store's to give.
pub fn submit(request: &NewRun, seq: i64, waits: bool, now: Timestamp) -> Run {
    let available_at = request.due.instant(now);
    let mut run = Run {
        id: request.id,
        seq,
        revision: 0,
        workspace: request.workspace.clone(),
        task: request.task.clone(),
        queue: request.queue.clone(),
        lane: request.lane.clone(),
        priority: request.priority,
        payload: request.payload.clone(),
        metadata: request.metadata.clone(),
        key: request.key.as_ref().map(|(key, _)| key.clone()),
        attempt: 0,
        max_attempts: request.max_attempts.get().into(),
        attempts_granted: request.max_attempts.get().into(),
        interruptions: 0,
        postponements: 0,
        epoch: 0,
        timeout_seconds: request.timeout_seconds.map(|seconds| seconds.get().min(i32::MAX as u32)),
        retry: request.retry,
        available_at,
        start_by: request.start_by.map(|deadline| deadline.instant(available_at)),
        requested_at: now,
        started_at: None,
        error: None,
        output: None,
        awaited: false,
        scheduled: request.scheduled,
        state: State::Pending,
    };
    if !request.hold {
        run.state = State::Queued(enter(&run, waits, now));
    }
    run
}

/// What keeps a run from being ready as it begins to wait. A run with a lane is behind it until the lane is settled.
pub fn enter(run: &Run, waits: bool, now: Timestamp) -> Option<BlockedBy> {
    if waits {
        Some(BlockedBy::Upstream)
    } else if run.available_at > now {
        Some(BlockedBy::AvailableAt)
    } else if run.lane.is_some() {
        Some(BlockedBy::Lane)
    } else {
        None
    }
}

/// The waiting run after what blocked it went away: an upstream run succeeded, or its time came.
///
/// A retrying run has had its lane since it first started, so the lane does not block it again.
pub fn unblock(mut run: Run, now: Timestamp) -> Run {
    match &mut run.state {
        State::Queued(_) => run.state = State::Queued(enter(&run, false, now)),
        State::Retrying(reason) => *reason = (run.available_at > now).then_some(BlockedBy::AvailableAt),
        _ => {}
    }
    run
}

/// Whether work on it may have begun, so that its key no longer lets it be replaced.
pub fn started(run: &Run) -> bool {
    run.started_at.is_some() || matches!(run.state, State::Leased(_))
}

/// Whether it had to begin by now and has not.
pub fn is_too_late(run: &Run, now: Timestamp) -> bool {
    run.start_by.is_some_and(|start_by| start_by <= now) && !started(run)
}

/// The run `old`, not started yet, after it took on `request`: same identity and place, new work.
pub fn replace(old: &Run, request: &NewRun, keep_available_at: bool, waits: bool, now: Timestamp) -> Run {
    let mut run = submit(request, old.seq, waits, now);
    run.id = old.id;
    run.requested_at = old.requested_at;
    // A worker that leased it ahead and gave it back has no say in the next lease, so its epoch is not given twice.
    run.epoch = old.epoch;
    run.awaited = old.awaited;
    if keep_available_at {
        run.available_at = old.available_at;
        run.start_by = request.start_by.map(|deadline| deadline.instant(run.available_at));
    }
    run.state = match old.state {
        State::Paused => State::Paused,
        _ if request.hold => State::Pending,
        _ => State::Queued(enter(&run, waits, now)),
    };
    run
}
