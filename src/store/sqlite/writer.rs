//! The one thread that writes, with group commit: whatever comes together shares a transaction, and so its fsync.

use std::fs::File;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::arrivals::Arrivals;
use super::group::GroupCommit;
use super::job::{Job, job};
use super::session::Session;
use crate::store::{Result, StoreError};

/// Hands jobs to the writer's thread. Dropping it lets the thread finish what waits, and closes the file.
pub(super) struct Writer {
    jobs: Option<Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread, which keeps `lock` until it has closed the connection.
    pub(super) fn start(group: GroupCommit, lock: File) -> Result<Self> {
        let (jobs, arriving) = channel();
        let thread = std::thread::Builder::new().name("sqlite-writer".into()).spawn(move || {
            serve(group, Arrivals::new(arriving));
            drop(lock);
        });
        let thread = thread
            .map_err(|error| StoreError::Database { doing: "start of the writer's thread", source: Box::new(error) })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs `verb` in a transaction, shared or not; answered after the commit.
    pub(super) async fn run<R, F>(&self, doing: &'static str, verb: F) -> Result<R>
    where
        R: Send + 'static,
        F: Fn(&mut Session) -> Result<R> + Send + 'static,
    {
        let (job, answer) = job(doing, verb);
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or(StoreError::Closed)?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the SQLite writer's thread had panicked");
        }
    }
}

fn serve(mut group: GroupCommit, mut arrivals: Arrivals) {
    while let Some(together) = arrivals.next() {
        let jobs = group.run(together);
        arrivals.expect(jobs.len());
        jobs.into_iter().for_each(Job::answer);
    }
}
