//! The jobs that share a transaction, as they come: what is there, and for a moment what may still come.

use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use super::job::Job;

/// More jobs than this do not share a transaction, so that the first does not wait too long for the last.
const GROUP: usize = 512;

/// How long those are waited for who were just answered and are likely to ask again. A flush takes at least as long.
const GATHERING: Duration = Duration::from_micros(100);

/// How long the thread stays awake for the next: whoever was just answered is likely to have more, and waking up takes time.
const AWAKE: Duration = Duration::from_micros(200);

/// Where jobs arrive, and how many are expected to come together.
pub(super) struct Arrivals {
    jobs: Receiver<Box<dyn Job>>,
    expected: usize,
}

/// One transaction's jobs, the first of which is there.
pub(super) struct Together<'a> {
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
    pub(super) fn next(&self) -> Option<Together<'_>> {
        let first = self.first()?;
        Some(Together { arrivals: self, first: Some(first), begun: Instant::now(), come: 0 })
    }

    /// Says how many were just answered: so many are likely to come again.
    pub(super) fn expect(&mut self, answered: usize) {
        self.expected = answered.min(GROUP);
    }

    fn first(&self) -> Option<Box<dyn Job>> {
        let begun = Instant::now();
        while begun.elapsed() < AWAKE {
            match self.jobs.try_recv() {
                Ok(job) => return Some(job),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => std::thread::yield_now(),
            }
        }
        self.jobs.recv().ok()
    }
}

impl Together<'_> {
    /// What is there now, without waiting.
    pub(super) fn at_once(&mut self) -> Vec<Box<dyn Job>> {
        self.first.take().into_iter().chain(self.arrivals.jobs.try_iter()).take(GROUP).collect()
    }
}

impl Iterator for Together<'_> {
    type Item = Box<dyn Job>;

    /// None, when it is time to commit.
    fn next(&mut self) -> Option<Self::Item> {
        while self.come < GROUP {
            match self.first.take().or_else(|| self.arrivals.jobs.try_recv().ok()) {
                Some(job) if job.is_wanted() => {
                    self.come += 1;
                    return Some(job);
                }
                Some(_) => {}
                None if self.come >= self.arrivals.expected || self.begun.elapsed() >= GATHERING => return None,
                None => std::thread::yield_now(),
            }
        }
        None
    }
}
