//! The only place that asks what time it is.
//!
//! A store decides by its database's clock, so that a worker whose clock is a day off changes nothing. Tests give
//! the store a [`ManualClock`] instead and move it by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use jiff::{SignedDuration, Timestamp};

/// Where a store takes the time from.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The database's own clock; for SQLite that of the host.
    #[default]
    Database,
    /// A clock that moves only when told to.
    Manual(ManualClock),
}

impl Clock {
    /// The injected time, or `None` when the database is to say.
    pub fn injected(&self) -> Option<Timestamp> {
        match self {
            Clock::Database => None,
            Clock::Manual(clock) => Some(clock.now()),
        }
    }

    /// The injected time, or the host's.
    pub fn host_now(&self) -> Timestamp {
        self.injected().unwrap_or_else(|| to_micros(Timestamp::now()))
    }
}

/// A clock that stands still until it is moved. Clones share the hands.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that shows `start`.
    pub fn starting_at(start: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(start.as_microsecond())))
    }

    /// What it shows.
    pub fn now(&self) -> Timestamp {
        from_micros(self.0.load(Ordering::SeqCst))
    }

    /// Moves it; a negative step moves it back.
    pub fn advance(&self, step: SignedDuration) {
        self.0.fetch_add(step.as_micros() as i64, Ordering::SeqCst);
    }
}

/// The end of time: the last full second of a timestamp. What comes after it cannot be made from microseconds again.
const END: Timestamp = Timestamp::constant(253_402_207_200, 0);

/// Databases keep microseconds, so nothing finer enters the system.
pub fn to_micros(at: Timestamp) -> Timestamp {
    from_micros(at.as_microsecond())
}

/// The timestamp so many microseconds after the epoch, held within what a timestamp can show.
pub fn from_micros(micros: i64) -> Timestamp {
    let clamped = micros.clamp(Timestamp::MIN.as_microsecond(), END.as_microsecond());
    Timestamp::from_microsecond(clamped).unwrap_or(END)
}

/// `at + wait`, or the end of time where that would overflow.
pub fn later(at: Timestamp, wait: SignedDuration) -> Timestamp {
    at.saturating_add(wait).map(to_micros).unwrap_or(END)
}

/// The time so long before `at`, as far as there is one.
pub fn earlier(at: Timestamp, ago: SignedDuration) -> Timestamp {
    at.checked_sub(ago).unwrap_or(Timestamp::MIN)
}

/// How long it is from `now` until `at`: nothing when that is past.
pub fn until(at: Timestamp, now: Timestamp) -> SignedDuration {
    at.duration_since(now).max(SignedDuration::ZERO)
}

/// How long ago a file was written, by the host's clock; nothing if that lies ahead.
pub fn age_of(written: SystemTime) -> Duration {
    SystemTime::now().duration_since(written).unwrap_or_default()
}

/// Milliseconds since the machine was started, sleep included: the same for all its processes, and no one sets it.
#[cfg(all(feature = "worker", target_os = "linux"))]
pub fn boot_millis() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let (seconds, nanos) = (u64::try_from(now.tv_sec).unwrap_or(0), u64::try_from(now.tv_nsec).unwrap_or(0));
    seconds * 1000 + nanos / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_time_has_no_more_than_microseconds() {
        assert_eq!(END.as_second(), Timestamp::MAX.as_second());
        let end = later(Timestamp::UNIX_EPOCH, SignedDuration::MAX);
        assert_eq!((end, from_micros(end.as_microsecond()), from_micros(i64::MAX)), (END, END, END));
    }
}
