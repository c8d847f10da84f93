//! The threads that read, each with a connection of its own, so that no read waits for the writer.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::Statements;
use super::job::{Job, job};
use super::session::Session;
use crate::clock::Clock;
use crate::store::{Result, StoreError};

/// Hands jobs to whichever reader is free. Dropping it lets them finish what waits, and closes their connections.
pub(super) struct Readers {
    jobs: Option<Sender<Box<dyn Job>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    pub(super) fn start(conns: Vec<Connection>, sql: &Arc<Statements>, clock: &Clock) -> Result<Self> {
        let (jobs, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let mut readers = Self { jobs: Some(jobs), threads: Vec::new() };
        for conn in conns {
            let (sql, clock, waiting) = (Arc::clone(sql), clock.clone(), Arc::clone(&waiting));
            let thread = std::thread::Builder::new()
                .name("sqlite-reader".into())
                .spawn(move || serve(Session::new(conn, sql, clock), &waiting))
                .map_err(|error| StoreError::Database { doing: "start of a reader's thread", source: error.into() })?;
            readers.threads.push(thread);
        }
        Ok(readers)
    }

    /// Runs `verb` on one snapshot of the database.
    pub(super) async fn run<R, F>(&self, doing: &'static str, verb: F) -> Result<R>
    where
        R: Send + 'static,
        F: Fn(&mut Session) -> Result<R> + Send + 'static,
    {
        let (job, answer) = job(doing, move |session: &mut Session| {
            session.execute("begin", [])?;
            let result = verb(session);
            session.execute("commit", [])?;
            result
        });
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or(StoreError::Closed)?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("an SQLite reader's thread had panicked");
            }
        }
    }
}

fn serve(mut session: Session, jobs: &Mutex<Receiver<Box<dyn Job>>>) {
    while let Some(mut job) = next(jobs) {
        if !job.is_wanted() {
            continue;
        }
        let succeeded = job.run(&mut session);
        if !succeeded
            && !session.conn.is_autocommit()
            && let Err(error) = session.conn.execute_batch("rollback")
        {
            tracing::error!(%error, "an SQLite reader could not release its snapshot");
        }
        job.answer();
    }
}

/// One reader waits for the next job, the others for their turn to wait.
fn next(jobs: &Mutex<Receiver<Box<dyn Job>>>) -> Option<Box<dyn Job>> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
