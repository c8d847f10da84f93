//! How long work may go on, in a file per epoch: workers write theirs, the shim heeds the highest. The first that it has,
//! it was told with the attempt.
//!
//! A worker that wakes up after another has taken over still has a file to write, but nobody reads it any more.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::directory::{Directory, INPUT};

const PREFIX: &str = "lease-";

/// Times are in milliseconds since the machine was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lease {
    /// When to ask the work to stop, unless the lease is renewed before.
    pub stop_at: u64,
    /// When it must be dead.
    pub deadline: u64,
    /// To stop now, with so many milliseconds of grace.
    pub stop: Option<u64>,
}

impl Lease {
    /// A lease that ends after `left`. Work that takes up to `grace` to stop is asked early enough to be dead by then,
    /// but has two thirds of the time to itself in any case.
    pub fn new(now: u64, left: Duration, grace: Duration) -> Self {
        let deadline = now.saturating_add(millis(left));
        Self { stop_at: deadline - millis(grace.min(left / 3)).min(deadline), deadline, stop: None }
    }

    /// The same, with the order to stop.
    pub fn stopping(self, grace: Duration) -> Self {
        Self { stop: Some(millis(grace)), ..self }
    }

    /// Whether work may go on, or begin.
    pub fn is_good(&self, now: u64) -> bool {
        self.stop.is_none() && now < self.stop_at
    }
}

impl Directory {
    pub fn write_lease(&self, epoch: i64, lease: &Lease) -> io::Result<()> {
        self.write(&format!("{PREFIX}{epoch}"), lease)
    }

    /// The lease of the latest worker: what it wrote, or `told` if it is the one that told the shim under `epoch`, since that
    /// has to write one only when something changes. None where a later worker has begun the attempt anew.
    pub fn lease_for(&self, epoch: i64, told: Lease) -> io::Result<Option<Lease>> {
        let (leased, begun) = self.epochs()?;
        if begun > Some(epoch) {
            return Ok(None);
        }
        let highest = leased.unwrap_or(epoch).max(epoch);
        let written = self.read(&format!("{PREFIX}{highest}"))?;
        Ok(written.or((highest == epoch).then_some(told)))
    }

    /// Whether a later worker has begun the attempt anew, or written its lease.
    pub fn is_taken_over(&self, epoch: i64) -> bool {
        self.highest_epoch().is_ok_and(|highest| highest > Some(epoch))
    }

    pub fn highest_epoch(&self) -> io::Result<Option<i64>> {
        let (leased, begun) = self.epochs()?;
        Ok(leased.max(begun))
    }

    /// The highest of the leases and, unless the program has deleted it, that of the payload.
    fn epochs(&self) -> io::Result<(Option<i64>, Option<i64>)> {
        let (mut leased, mut begun) = (None, None);
        self.dir().is_there()?;
        for entry in self.dir().entries()? {
            let entry = entry?;
            let name = entry.text();
            leased = leased.max(name.strip_prefix(PREFIX).and_then(|epoch| epoch.parse().ok()));
            let payload = name.strip_prefix(INPUT).and_then(|rest| rest.strip_suffix(".json"));
            begun = begun.max(payload.and_then(|epoch| epoch.parse().ok()));
        }
        Ok((leased, begun))
    }
}

/// Whether a file with that name is a lease, or one that is being written.
pub(super) fn is_name(name: &str) -> bool {
    name.strip_prefix('.').unwrap_or(name).starts_with(PREFIX)
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_leaves_time_to_stop_but_never_more_than_a_third_of_it() {
        let seconds = Duration::from_secs;
        let lease = Lease::new(1_000, seconds(30), seconds(2));
        assert_eq!((lease.stop_at, lease.deadline), (29_000, 31_000));
        let lease = Lease::new(1_000, seconds(30), seconds(300));
        assert_eq!((lease.stop_at, lease.deadline), (21_000, 31_000));
        assert!(lease.is_good(20_999) && !lease.is_good(21_000));
        assert!(!lease.stopping(seconds(1)).is_good(1_000));
        assert!(!Lease::new(0, seconds(0), seconds(300)).is_good(0));
    }

    #[test]
    fn the_highest_epoch_counts_however_it_is_spelled() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = Directory::claim(folder.path(), None).expect("open");
        let lease = |n| Lease { stop_at: n, deadline: n, stop: None };
        let lease_for = |epoch: i64| directory.lease_for(epoch, lease(0)).expect("read");
        assert_eq!(lease_for(1), Some(lease(0)), "what its shim was told");
        for epoch in [9, 10, 2] {
            directory.write_lease(epoch, &lease(epoch as u64)).expect("written");
        }
        assert_eq!(lease_for(1), Some(lease(10)));
        std::fs::write(directory.input(11), "").expect("written");
        assert_eq!(directory.highest_epoch().expect("read"), Some(11));
        assert_eq!((lease_for(10), lease_for(11)), (None, Some(lease(0))), "begun anew, and what its shim was told");
        directory.write_lease(11, &lease(11)).expect("written");
        assert_eq!((lease_for(10), lease_for(11)), (None, Some(lease(11))));
    }
}
