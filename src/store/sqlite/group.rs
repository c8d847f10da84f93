//! Transactions that several jobs share. They are run one after the other as they come, with nothing between them; only if
//! one fails is all of it rolled back and done again with a savepoint before each, so that it fails alone.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::Connection;

use super::arrivals::Batch;
use super::job::{Failure, Job};
use super::session::Session;
use crate::store::ready::{Notices, Signals};

/// Runs jobs on the writer's thread, several in a transaction.
pub(super) struct GroupCommit {
    pub(super) session: Session,
    pub(super) signals: Signals,
}

/// The jobs that were run in a transaction.
#[derive(Default)]
struct Done {
    jobs: Vec<Box<dyn Job>>,
    /// Whether one of them may have made something ready for a claim.
    notices: Notices,
}

enum Ran {
    Committed,
    /// The last of the jobs failed, and what the others did is still there to be undone.
    Failed,
}

impl GroupCommit {
    /// Runs what comes together; answers with the jobs, which know what became of them.
    pub(super) fn run(&mut self, mut coming: Batch<'_>) -> Vec<Box<dyn Job>> {
        let mut done = Done::default();
        match self.run_plainly(&mut coming, &mut done) {
            Ok(Ran::Committed) => done.jobs,
            Ok(Ran::Failed) if done.jobs.len() == 1 => {
                self.roll_back();
                done.jobs
            }
            Ok(Ran::Failed) => {
                self.roll_back();
                self.run_guarded(done.jobs.into())
            }
            Err(error) => {
                // Not even this one could begin, and so neither could the next.
                if done.jobs.is_empty() {
                    done.jobs = coming.at_once();
                }
                self.give_up(&Failure(Arc::new(error)), &mut done);
                done.jobs
            }
        }
    }

    fn run_plainly(&mut self, coming: &mut Batch<'_>, done: &mut Done) -> rusqlite::Result<Ran> {
        self.begin()?;
        for job in coming {
            if !self.run_job(job, done) {
                return Ok(Ran::Failed);
            }
            // SQLite has undone it all, and a verb passed over it: no other may be run outside of a transaction.
            if self.session.conn.is_autocommit() {
                break;
            }
        }
        self.commit(done).map(|()| Ran::Committed)
    }

    /// Runs jobs that are undone alone if they fail, in as many transactions as it takes.
    fn run_guarded(&mut self, mut waiting: VecDeque<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
        let mut jobs = Vec::new();
        while !waiting.is_empty() {
            let mut done = Done::default();
            if let Err(error) = self.transact(&mut waiting, &mut done) {
                if done.jobs.is_empty() {
                    done.jobs.extend(waiting.drain(..));
                }
                self.give_up(&Failure(Arc::new(error)), &mut done);
            }
            jobs.append(&mut done.jobs);
        }
        jobs
    }

    /// Runs jobs in one transaction, moving them from `waiting` to `done`.
    fn transact(&mut self, waiting: &mut VecDeque<Box<dyn Job>>, done: &mut Done) -> rusqlite::Result<()> {
        self.begin()?;
        while !waiting.is_empty() {
            execute(&self.session.conn, "savepoint job")?;
            let Some(job) = waiting.pop_front() else { break };
            let succeeded = self.run_job(job, done);
            // When the disk is full, SQLite undoes the whole transaction by itself. Then what follows fails, and so do all.
            if !succeeded {
                execute(&self.session.conn, "rollback to job")?;
            }
            execute(&self.session.conn, "release job")?;
        }
        self.commit(done)
    }

    fn run_job(&mut self, mut job: Box<dyn Job>, done: &mut Done) -> bool {
        self.session.notices = Notices::default();
        let succeeded = job.run(&mut self.session);
        if succeeded {
            done.notices.add(self.session.notices);
        }
        done.jobs.push(job);
        succeeded
    }

    fn begin(&self) -> rusqlite::Result<()> {
        execute(&self.session.conn, "begin immediate")
    }

    /// Waits for the disk, and then notifies workers that wait.
    fn commit(&self, done: &Done) -> rusqlite::Result<()> {
        execute(&self.session.conn, "commit")?;
        if let Some(wait) = done.notices.due_in {
            self.signals.notify_due(wait);
        }
        if done.notices.ready {
            self.signals.notify_ready();
        }
        Ok(())
    }

    /// None of the jobs done so far has happened.
    fn give_up(&self, reason: &Failure, done: &mut Done) {
        tracing::error!(error = %reason.0, "an SQLite transaction failed");
        self.roll_back();
        done.jobs.iter_mut().for_each(|job| job.fail(reason));
    }

    fn roll_back(&self) {
        if !self.session.conn.is_autocommit()
            && let Err(error) = execute(&self.session.conn, "rollback")
        {
            tracing::error!(%error, "an SQLite transaction could not be rolled back");
        }
    }
}

fn execute(conn: &Connection, sql: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(sql)?.execute([]).map(drop)
}
