//! The jobs that share a transaction: those that have arrived, and those that arrive within a moment.

use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use super::job::Job;

/// More jobs than this do not share a transaction, so that the first does not wait too long for the last.
const MOST_JOBS: usize = 512;

/// How long a batch waits for callers that were just answered and are likely to ask again. A flush takes at least as long.
const LINGER: Duration = Duration::from_micros(100);

/// How long the thread spins for the next job: callers that were just answered are likely to have more, and waking up takes time.
const SPIN: Duration = Duration::from_micros(200);

/// Where jobs arrive, and how many are expected to come together.
pub(super) struct Arrivals {
    jobs: Receiver<Box<dyn Job>>,
    expected: usize,
}

/// One transaction's jobs, the first of which is there.
pub(super) struct Batch<'a> {
    arrivals: &'a Arrivals,
    first: Option<Box<dyn Job>>,
    begun: Instant,
    come: usize,
}

impl Arrivals {
    pub(super) fn new(jobs: Receiver<Box<dyn Job>>) -> Self {
        Self { jobs, expected: 0 }
    }

    /// None, when nobody is left to hand one in.
    pub(super) fn next(&self) -> Option<Batch<'_>> {
        let first = self.first()?;
        Some(Batch { arrivals: self, first: Some(first), begun: Instant::now(), come: 0 })
    }

    /// Says how many were just answered: so many are likely to come again.
    pub(super) fn expect(&mut self, answered: usize) {
        self.expected = answered.min(MOST_JOBS);
    }

    fn first(&self) -> Option<Box<dyn Job>> {
        let begun = Instant::now();
        while begun.elapsed() < SPIN {
            match self.jobs.try_recv() {
                Ok(job) => return Some(job),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => std::thread::yield_now(),
            }
        }
        self.jobs.recv().ok()
    }
}

impl Batch<'_> {
    /// What is there now, without waiting.
    pub(super) fn at_once(&mut self) -> Vec<Box<dyn Job>> {
        self.first.take().into_iter().chain(self.arrivals.jobs.try_iter()).take(MOST_JOBS).collect()
    }
}

impl Iterator for Batch<'_> {
    type Item = Box<dyn Job>;

    /// None, when it is time to commit.
    fn next(&mut self) -> Option<Self::Item> {
        while self.come < MOST_JOBS {
            match self.first.take().or_else(|| self.arrivals.jobs.try_recv().ok()) {
                Some(job) if job.is_wanted() => {
                    self.come += 1;
                    return Some(job);
                }
                Some(_) => {}
                None if self.come >= self.arrivals.expected || self.begun.elapsed() >= LINGER => return None,
                None => std::thread::yield_now(),
            }
        }
        None
    }
}
