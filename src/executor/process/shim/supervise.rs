//! Starts the work, watches its lease, drains its output, ends it, and records how it ended.

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Signal, WaitStatus};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::unix::pipe::Receiver;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};

use super::escalation::{Escalation, Force};
use super::exec::{self, Candidate};
use super::lines::Lines;
use super::log::Log;
use super::stop_signals::StopSignals;
use super::unsynced::UnsyncedRecords;
use super::watch::Watch;
use super::{cleanup, complain, output};
use crate::clock::boot_millis;
use crate::executor::Stream;
use crate::executor::process::assignment::Assignment;
use crate::executor::process::directory::Directory;
use crate::executor::process::identity::{Handle, Identity};
use crate::executor::process::lease::{Lease, millis};
use crate::executor::process::lock::Held;
use crate::executor::process::record::{Exit, Shim, Spec, StartError, Why};
use crate::executor::process::task::ProcessTask;

const TICK: Duration = Duration::from_secs(1);
/// How long output is waited for after the work ended: what it left in the background may hold it open for ever.
const DRAIN_WAIT: Duration = Duration::from_secs(2);
/// Of output, at a time. Memory that most work never fills is not taken for it.
const BUFFER: usize = 8 * 1024;
/// How often, and how many times, an exit record is tried to be written to a disk that is full.
const RECORD_PACE: Duration = Duration::from_millis(500);
const RECORD_TRIES: usize = 20;

/// What a shim has for all its attempts.
pub(super) struct Overseer {
    me: Identity,
    watch: Watch,
    pub stop_signals: StopSignals,
    pub unsynced: UnsyncedRecords,
}

impl Overseer {
    pub fn new() -> io::Result<Self> {
        let (me, stop_signals) = (Identity::of(std::process::id() as i32)?, StopSignals::new()?);
        Ok(Self { me, watch: Watch::new(), stop_signals, unsynced: UnsyncedRecords::default() })
    }

    /// Sees the attempt through, to its exit record. Answers whether nothing is left of it that another would have to
    /// suffer from. To be called while there is one thread.
    pub async fn see_through(&mut self, directory: &Arc<Directory>, assignment: &Assignment) -> io::Result<bool> {
        let candidate = match exec::prepare(directory, assignment) {
            // The directory is gone, and if there is another in its place, that is another's.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            candidate => candidate,
        };
        let child = candidate.as_ref().ok().and_then(|candidate| Identity::of(candidate.number).ok());
        let workspace = Some(assignment.spec.workspace.clone());
        let origin = assignment.spec.origin.clone();
        let held = directory.take_up(&Shim { workspace, shim: self.me.clone(), child, origin })?;
        let (exit, is_clean) = match candidate {
            Ok(candidate) => self.judge(directory, &assignment.spec, candidate).await?,
            Err(error) => {
                let error = StartError::new("start_failed", format!("cannot start a process: {error}"));
                (Exit::without_work(Why::StartFailed(error)), false)
            }
        };
        self.record(directory, &assignment.spec.task, held, &exit).await?;
        Ok(is_clean && exit.why == Why::Exited)
    }

    /// Starts the work, if that is still wanted. It is on record who is here, so whoever finds no shim and therefore writes
    /// an order to stop, and looks again, sees this one, or this one sees the order.
    async fn judge(
        &mut self,
        directory: &Arc<Directory>,
        spec: &Spec,
        mut candidate: Candidate,
    ) -> io::Result<(Exit, bool)> {
        let _watched = self.watch.on(directory);
        let now = boot_millis();
        match directory.lease_for(spec.epoch, spec.lease)? {
            Some(lease) if lease.is_good(now) && now < spec.start_by && directory.has_input(spec.epoch) => {
                // Where it is gone already, it has said why.
                let _ = candidate.go();
                look_after(directory, spec, candidate, self, lease).await
            }
            _ => Ok((Exit::without_work(Why::NeverStarted), false)),
        }
    }

    /// The result first: a record that says it succeeded must not outlast what it produced. Where there is none, there is no
    /// hurry.
    async fn record(&mut self, directory: &Directory, task: &ProcessTask, held: Held, exit: &Exit) -> io::Result<()> {
        let result = directory.open_result(task.user).ok().flatten();
        // One that is too large will not be used.
        let is_used = |file: &File| file.metadata().is_ok_and(|data| data.len() <= task.limits.result_bytes);
        let result = result.filter(|(file, _)| is_used(file));
        if let Some((result, around)) = &result {
            result.sync_all()?;
            around.sync()?;
        }
        let mut tries = 1;
        while let Err(error) = held.conclude(exit) {
            if tries == RECORD_TRIES {
                return Err(error);
            }
            complain(format_args!("cannot write the exit record: {error}"));
            tries += 1;
            sleep(RECORD_PACE).await;
        }
        let record = held.release()?;
        // What a loss of power leaves of it before cannot be read, and counts for nothing.
        if result.is_some() {
            return record.sync_all();
        }
        self.unsynced.add(record, Instant::now());
        Ok(())
    }
}

async fn look_after(
    directory: &Arc<Directory>,
    spec: &Spec,
    candidate: Candidate,
    overseer: &mut Overseer,
    lease: Lease,
) -> io::Result<(Exit, bool)> {
    let task = &spec.task;
    let log = Arc::new(Mutex::new(Log::new(directory.clone(), task.limits.log_bytes)));
    let number = candidate.number;
    let mut readers = JoinSet::new();
    for (stream, pipe) in [(Stream::Stdout, &candidate.stdout), (Stream::Stderr, &candidate.stderr)] {
        readers.spawn(drain(Receiver::from_owned_fd(pipe.try_clone()?)?, stream, log.clone()));
    }
    let escalation = watch_over(directory, spec, &candidate, overseer, lease).await.unwrap_or_else(|error| {
        complain(format_args!("cannot watch over the work: {error}"));
        cleanup::signal_group(number, Signal::KILL);
        let mut escalation = Escalation::default();
        escalation.stop(Why::Stopped, boot_millis());
        escalation
    });
    drain_rest(&mut readers, escalation.over_by()).await;
    let (status, is_clean) = cleanup::end_all(number).await?;
    // With nobody left to write, the ends come at once, unless someone outside was handed the pipe.
    drain_rest(&mut readers, u64::MAX).await;
    readers.shutdown().await;
    let (last_words, retry) = match Arc::try_unwrap(log) {
        Ok(log) => log.into_inner().unwrap_or_else(PoisonError::into_inner).finish(),
        Err(_) => (Vec::new(), None),
    };
    let why = why(directory, task, candidate.error(), escalation);
    let code = status.and_then(WaitStatus::exit_status);
    Ok((Exit { code, signal: status.and_then(WaitStatus::terminating_signal), why, last_words, retry }, is_clean))
}

/// Returns when the work has ended, by itself or by force.
async fn watch_over(
    directory: &Directory,
    spec: &Spec,
    candidate: &Candidate,
    overseer: &mut Overseer,
    first: Lease,
) -> io::Result<Escalation> {
    let child = candidate.number;
    let work = Handle::of_child(child)?;
    let mut lease = first;
    let mut escalation = Escalation::default();
    escalation.heed(&lease, boot_millis());
    let mut tick = interval_at(Instant::now() + TICK, TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let too_much = output::exceeded(directory, spec.task.limits.output_bytes);
    tokio::pin!(too_much);
    let mut is_too_much = false;
    let grace = millis(spec.task.stop_grace());
    loop {
        let due = escalation.next(&lease).map(|at| Duration::from_millis(at.saturating_sub(boot_millis())));
        tokio::select! {
            () = work.ended() => return Ok(escalation),
            () = overseer.watch.changed() => {}
            _ = tick.tick() => {
                cleanup::reap_orphans(child);
                overseer.unsynced.sync_due(Instant::now());
            }
            () = sleep(due.unwrap_or(TICK)), if due.is_some() => {}
            why = &mut too_much, if !is_too_much => {
                is_too_much = true;
                escalation.stop(why, boot_millis());
            }
            () = overseer.stop_signals.stop() => escalation.stop(Why::Stopped, boot_millis().saturating_add(grace)),
        }
        lease = latest_lease(directory, spec.epoch, lease);
        let now = boot_millis();
        escalation.heed(&lease, now);
        match escalation.due(now) {
            // As long as it is a copy of this process it would hear the signal like this one does, and go on.
            Some(Force::Ask) if candidate.is_waiting() => cleanup::signal_group(child, Signal::KILL),
            Some(Force::Ask) => cleanup::signal_group(child, Signal::TERM),
            Some(Force::Kill) => cleanup::signal_group(child, Signal::KILL),
            None => {}
        }
    }
}

/// Where it cannot be read, the one known before holds; where the directory is gone or another's, it is over.
fn latest_lease(directory: &Directory, epoch: i64, known: Lease) -> Lease {
    let over = Lease { stop: Some(0), ..known };
    match directory.lease_for(epoch, known) {
        Ok(lease) => lease.unwrap_or(over),
        Err(error) if error.kind() == io::ErrorKind::NotFound => over,
        Err(error) => {
            complain(format_args!("cannot read the lease: {error}"));
            known
        }
    }
}

async fn drain(mut pipe: impl AsyncRead + Unpin, stream: Stream, log: Arc<Mutex<Log>>) {
    let mut lines = Lines::default();
    let mut buffer = Vec::with_capacity(BUFFER);
    // An error ends it like the end does: there is no more to be had.
    while let Ok(1..) = pipe.read_buf(&mut buffer).await {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(&buffer, |line| log.line(stream, line));
        buffer.clear();
    }
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    lines.finish(|line| log.line(stream, line));
}

/// Waits until all was read, but not for long, and not beyond the time by which all is to be over.
async fn drain_rest(readers: &mut JoinSet<()>, until: u64) {
    let wait = Duration::from_millis(until.saturating_sub(boot_millis())).min(DRAIN_WAIT);
    let _ = timeout(wait, async { while readers.join_next().await.is_some() {} }).await;
}

fn why(directory: &Directory, task: &ProcessTask, error: Option<StartError>, escalation: Escalation) -> Why {
    match (error, escalation.why()) {
        (Some(error), _) => Why::StartFailed(error),
        (None, Some(why)) => why.clone(),
        // It may have been quicker than the measuring.
        (None, None) => output::excess_now(directory, task.limits.output_bytes).unwrap_or(Why::Exited),
    }
}
