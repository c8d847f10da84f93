//! The one thread that writes, with group commit: whatever waits shares a transaction, and so its fsync.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::Statements;
use super::job::{Failure, Job, job};
use super::session::Session;
use crate::clock::Clock;
use crate::store::ready::{News, ReadyBell};
use crate::store::{Result, StoreError};

/// More jobs than this are not gathered into one transaction, so that the first does not wait too long for the last.
const GROUP: usize = 512;

/// How long those are waited for who were just answered and are likely to ask again. A flush takes several times as long.
const GATHERING: Duration = Duration::from_micros(100);

/// How long the thread stays awake for the next: whoever was just answered is likely to have more, and waking up takes time.
const AWAKE: Duration = Duration::from_micros(200);

type Waiting = VecDeque<Box<dyn Job>>;

/// The jobs that were run in a transaction.
#[derive(Default)]
struct Done {
    jobs: Vec<Box<dyn Job>>,
    /// Whether one of them may have made something ready for a claim.
    news: News,
}

/// Hands jobs to the writer's thread. Dropping it lets the thread finish what waits, and closes the file.
pub(super) struct Writer {
    jobs: Option<Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread, which keeps `lock` until it has closed the connection.
    pub(super) fn start(
        conn: Connection,
        sql: Arc<Statements>,
        clock: Clock,
        bell: ReadyBell,
        lock: File,
    ) -> Result<Self> {
        let (jobs, waiting) = channel();
        let thread = std::thread::Builder::new().name("sqlite-writer".into()).spawn(move || {
            serve(conn, &sql, &clock, &bell, &waiting);
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
        F: FnOnce(&mut Session<'_>) -> Result<R> + Send + 'static,
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

fn serve(mut conn: Connection, sql: &Statements, clock: &Clock, bell: &ReadyBell, jobs: &Receiver<Box<dyn Job>>) {
    let mut last_group = 0;
    while let Some(first) = next(jobs) {
        let mut waiting = gather(first, jobs, last_group);
        waiting.retain(|job| job.is_wanted());
        last_group = waiting.len();
        while !waiting.is_empty() {
            let mut done = Done::default();
            match transact(&mut conn, sql, clock, &mut waiting, &mut done) {
                Ok(()) => tell(bell, done.news),
                Err(error) => give_up(&conn, Failure(Arc::new(error)), &mut waiting, &mut done),
            }
            done.jobs.into_iter().for_each(Job::answer);
        }
    }
}

/// None, when nobody is left to hand one in.
fn next(jobs: &Receiver<Box<dyn Job>>) -> Option<Box<dyn Job>> {
    let begun = Instant::now();
    while begun.elapsed() < AWAKE {
        match jobs.try_recv() {
            Ok(job) => return Some(job),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => std::thread::yield_now(),
        }
    }
    jobs.recv().ok()
}

/// Whatever has come by now, and for a moment what may still come: about as many as the last time.
fn gather(first: Box<dyn Job>, jobs: &Receiver<Box<dyn Job>>, expected: usize) -> Waiting {
    let (begun, mut waiting) = (Instant::now(), Waiting::from([first]));
    loop {
        waiting.extend(jobs.try_iter().take(GROUP - waiting.len()));
        if waiting.len() >= expected.min(GROUP) || begun.elapsed() >= GATHERING {
            return waiting;
        }
        std::thread::yield_now();
    }
}

fn tell(bell: &ReadyBell, news: News) {
    if let Some(wait) = news.due_in {
        bell.tell_due(wait);
    }
    if news.ready {
        bell.ring();
    }
}

/// Runs jobs in one transaction, moving them from `waiting` to `done`.
fn transact(
    conn: &mut Connection,
    sql: &Statements,
    clock: &Clock,
    waiting: &mut Waiting,
    done: &mut Done,
) -> rusqlite::Result<()> {
    execute(conn, "begin immediate")?;
    if waiting.len() == 1 {
        return run_alone(conn, sql, clock, waiting, done);
    }
    while !waiting.is_empty() {
        execute(conn, "savepoint job")?;
        // When the disk is full, SQLite undoes the whole transaction by itself. Then what follows fails, and so do all.
        if !run_next(conn, sql, clock, waiting, done) {
            execute(conn, "rollback to job")?;
        }
        execute(conn, "release job")?;
    }
    execute(conn, "commit")
}

/// Where there are no others to protect, the transaction itself does what a savepoint would, and costs less.
fn run_alone(
    conn: &mut Connection,
    sql: &Statements,
    clock: &Clock,
    waiting: &mut Waiting,
    done: &mut Done,
) -> rusqlite::Result<()> {
    match run_next(conn, sql, clock, waiting, done) {
        true => execute(conn, "commit"),
        false if conn.is_autocommit() => Ok(()),
        false => execute(conn, "rollback"),
    }
}

fn run_next(conn: &mut Connection, sql: &Statements, clock: &Clock, waiting: &mut Waiting, done: &mut Done) -> bool {
    let Some(mut job) = waiting.pop_front() else { return true };
    let mut session = Session { conn, sql, clock, news: News::default() };
    let succeeded = job.run(&mut session);
    if succeeded {
        done.news.add(session.news);
    }
    done.jobs.push(job);
    succeeded
}

/// None of the jobs done so far has happened. Those that still wait have another transaction, unless not even this
/// one could begin.
fn give_up(conn: &Connection, reason: Failure, waiting: &mut Waiting, done: &mut Done) {
    tracing::error!(error = %reason.0, "an SQLite transaction failed");
    if !conn.is_autocommit()
        && let Err(error) = execute(conn, "rollback")
    {
        tracing::error!(%error, "an SQLite transaction could not be rolled back");
    }
    if done.jobs.is_empty() {
        done.jobs.extend(waiting.drain(..));
    }
    done.jobs.iter_mut().for_each(|job| job.fail(&reason));
}

fn execute(conn: &Connection, sql: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(sql)?.execute([]).map(drop)
}
