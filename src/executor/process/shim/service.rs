//! The life of a shim: one attempt after the other, for as long as its worker has any for it.

use std::io;
use std::sync::Arc;

use rustix::process::{getpid, set_child_subreaper, setsid};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep_until};

use super::supervise::Overseer;
use super::{cleanup, complain_in};
use crate::executor::process::assignment::{Assignment, FREE};
use crate::executor::process::directory::Directory;

/// To be called while there is one thread.
pub(super) fn serve(line: std::os::unix::net::UnixStream) -> io::Result<()> {
    detach()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        line.set_nonblocking(true)?;
        let mut overseer = Overseer::new()?;
        let done = take_turns(UnixStream::from_std(line)?, &mut overseer).await;
        overseer.unsynced.sync_all_records();
        done
    });
    // Not waiting for a walk through the output directory that nobody wants any more.
    runtime.shutdown_background();
    done
}

/// Becomes independent of the worker: no signal to its group or terminal gets here, and no directory is held.
fn detach() -> io::Result<()> {
    setsid()?;
    set_child_subreaper(Some(getpid()))?;
    // Not fatal: it is for the eyes of an operator.
    let _ = rustix::thread::set_name(c"runlane-shim");
    Ok(())
}

async fn take_turns(mut line: UnixStream, overseer: &mut Overseer) -> io::Result<()> {
    loop {
        let assignment = wait(&mut line, overseer).await?;
        let Some(assignment) = assignment else { return Ok(()) };
        let place = assignment.spec.origin.as_ref().map(|origin| origin.place);
        let directory = match Directory::claim(&assignment.directory, place) {
            Ok(directory) => Arc::new(directory),
            // The directory is gone, and if there is another in its place, that is another's.
            Err(_) => return Ok(()),
        };
        complain_in(Some(directory.clone()));
        let is_clean = overseer.see_through(&directory, &assignment).await?;
        // A copy is as good as a new process only of one that has one thread.
        let can_go_on = is_clean && cleanup::is_one_thread() && is_own(&directory, &assignment);
        complain_in(None);
        // It says so even if nobody hears it any more; then there is nothing to come either.
        if !can_go_on || line.write_all(&[FREE]).await.is_err() {
            return Ok(());
        }
    }
}

/// For the next attempt. Meanwhile, what the last ones left is seen to.
async fn wait(line: &mut UnixStream, overseer: &mut Overseer) -> io::Result<Option<Assignment>> {
    let next = next(line);
    tokio::pin!(next);
    loop {
        let due = overseer.unsynced.due();
        tokio::select! {
            biased;
            () = overseer.stop_signals.stop() => return Ok(None),
            next = &mut next => return next,
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => overseer.unsynced.sync_due(Instant::now()),
        }
    }
}

/// Whether no other worker has taken the attempt over. One that did, and found it running, waits for the end of this
/// process; one that comes now finds the exit record.
fn is_own(directory: &Directory, assignment: &Assignment) -> bool {
    // Where it is gone, whoever removed it has seen the end.
    directory.highest_epoch().is_ok_and(|highest| highest == Some(assignment.spec.epoch))
}

/// What is to be done next; nothing any more where the worker is gone.
async fn next(line: &mut UnixStream) -> io::Result<Option<Assignment>> {
    let mut length = [0; 4];
    // Half an assignment is none: its worker is gone, or takes it for lost.
    if line.read_exact(&mut length).await.is_err() {
        return Ok(None);
    }
    let mut body = vec![0; u32::from_le_bytes(length) as usize];
    match line.read_exact(&mut body).await {
        Err(_) => Ok(None),
        Ok(_) => Assignment::parse(&body).map(Some),
    }
}
