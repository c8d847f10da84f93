//! When to ask the work to stop and when to kill it, and for what reason.

use crate::executor::process::lease::Lease;
use crate::executor::process::record::Why;

/// Times are in milliseconds since the machine was started.
#[derive(Default)]
pub(super) struct Escalation {
    why: Option<Why>,
    /// When it is to be killed, the lease permitting.
    wanted: u64,
    /// Of the lease as it was last seen.
    deadline: u64,
    is_asked: bool,
    is_killed: bool,
}

/// What to send to the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    Ask,
    Kill,
}

impl Escalation {
    /// Wants the work stopped and, if need be, killed at that time. The first reason counts, and the earliest time.
    pub fn stop(&mut self, why: Why, kill_at: u64) {
        if self.why.is_none() {
            (self.why, self.wanted) = (Some(why), kill_at);
        }
        self.wanted = self.wanted.min(kill_at);
    }

    /// Never after the lease has ended, which may be extended while the work takes its time to stop.
    fn kill_at(&self) -> u64 {
        self.wanted.min(self.deadline)
    }

    /// Takes into account what the lease says.
    pub fn heed(&mut self, lease: &Lease, now: u64) {
        self.deadline = lease.deadline;
        if let Some(grace) = lease.stop {
            self.stop(Why::Stopped, now.saturating_add(grace));
        } else if now >= lease.stop_at {
            self.stop(Why::LeaseExpired, lease.deadline);
        }
    }

    /// What is to be done now; each is said once.
    pub fn due(&mut self, now: u64) -> Option<Force> {
        self.why.as_ref()?;
        if now >= self.kill_at() && !self.is_killed {
            (self.is_asked, self.is_killed) = (true, true);
            return Some(Force::Kill);
        }
        (!std::mem::replace(&mut self.is_asked, true)).then_some(Force::Ask)
    }

    /// When something will be due next, if nothing else happens.
    pub fn next(&self, lease: &Lease) -> Option<u64> {
        match (&self.why, self.is_killed) {
            (None, _) => Some(lease.stop_at),
            (Some(_), false) => Some(self.kill_at()),
            (Some(_), true) => None,
        }
    }

    /// Why the work is being stopped, if it is.
    pub fn why(&self) -> Option<&Why> {
        self.why.as_ref()
    }

    /// By when nothing of the work may be left.
    pub fn over_by(&self) -> u64 {
        if self.why.is_some() { self.kill_at() } else { self.deadline }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Lease = Lease { stop_at: 200, deadline: 300, stop: None };

    #[test]
    fn a_lease_that_nobody_renews_ends_the_work_by_its_deadline() {
        let mut escalation = Escalation::default();
        escalation.heed(&LEASE, 199);
        assert_eq!((escalation.due(199), escalation.next(&LEASE)), (None, Some(200)));
        escalation.heed(&LEASE, 200);
        assert_eq!(
            (escalation.due(200), escalation.due(200), escalation.next(&LEASE)),
            (Some(Force::Ask), None, Some(300))
        );
        assert_eq!((escalation.due(300), escalation.due(301)), (Some(Force::Kill), None));
        assert_eq!(escalation.why(), Some(&Why::LeaseExpired));
    }

    #[test]
    fn an_order_to_stop_has_its_grace_but_not_beyond_the_lease() {
        let order = Lease { stop: Some(50), ..LEASE };
        let mut escalation = Escalation::default();
        escalation.heed(&order, 100);
        assert_eq!((escalation.due(100), escalation.next(&order)), (Some(Force::Ask), Some(150)));
        // Seen again: the grace does not begin anew.
        escalation.heed(&order, 140);
        assert_eq!(escalation.over_by(), 150);
        let mut escalation = Escalation::default();
        escalation.heed(&Lease { stop: Some(5000), ..LEASE }, 100);
        assert_eq!((escalation.over_by(), escalation.why()), (300, Some(&Why::Stopped)));
    }

    #[test]
    fn without_grace_it_is_killed_at_once() {
        let mut escalation = Escalation::default();
        escalation.stop(Why::OutputLimit, 100);
        assert_eq!((escalation.due(100), escalation.due(100)), (Some(Force::Kill), None));
    }
}
