//! When a schedule is due: its slots, each strictly after the one before.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use jiff::{SignedDuration, Timestamp};

use super::walk::Walk;
use super::{Cron, Zone};
use crate::clock::to_micros;

/// What makes a schedule due.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// Whenever the clock on the wall suits an expression.
    Cron {
        /// The expression.
        cron: Cron,
        /// Whose clock.
        zone: Zone,
        /// What happens when that clock is changed.
        dst: Dst,
    },
    /// Again and again after the same time.
    Every {
        /// How long that is.
        seconds: NonZeroU32,
        /// The first slot.
        from: Timestamp,
    },
    /// Once.
    Once {
        /// When.
        at: Timestamp,
    },
}

/// What becomes of slots on the day the clock is changed. An expression whose hour is `*` or `*/n` follows elapsed time
/// instead: it is due in both halves of an overlap, and nothing in a gap is made up for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dst {
    /// For times that the clock skips.
    pub gap: Gap,
    /// For times that it shows twice.
    pub overlap: Fold,
}

/// What becomes of a slot at a time that the clock skips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gap {
    /// It is due at the first instant after the gap.
    #[default]
    After,
    /// There is none that day.
    Skip,
}

/// What becomes of a slot at a time that the clock shows twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    /// It is due the first time.
    #[default]
    First,
    /// It is due the second time.
    Second,
    /// It is due both times.
    Both,
}

impl Timing {
    /// The first slot after `after`; `None` if there are no more.
    pub fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        match self {
            Timing::Cron { cron, zone, dst } => Walk::new(cron, zone, *dst).next_after(after),
            Timing::Every { seconds, from } => {
                // Databases keep microseconds, and a slot must be the same when it is read again.
                let from = to_micros(*from);
                let gone = after.duration_since(from);
                if gone.is_negative() {
                    return Some(from);
                }
                let rounds = gone.as_secs().checked_div(seconds.get().into())?.checked_add(1)?;
                let wait = SignedDuration::from_secs(rounds.checked_mul(seconds.get().into())?);
                from.checked_add(wait).ok()
            }
            Timing::Once { at } => Some(to_micros(*at)).filter(|at| *at > after),
        }
    }

    /// The last `count` slots after `after` and not after `until`, oldest first.
    pub fn latest(&self, count: usize, after: Timestamp, until: Timestamp) -> VecDeque<Timestamp> {
        let mut reach = SignedDuration::from_hours(1);
        loop {
            let start = until.checked_sub(reach).unwrap_or(after).max(after);
            let mut found = VecDeque::with_capacity(count.min(64));
            let mut at = start;
            while let Some(slot) = self.next_after(at).filter(|slot| *slot <= until) {
                found.push_back(slot);
                if found.len() > count {
                    found.pop_front();
                }
                at = slot;
            }
            if found.len() == count || start == after {
                return found;
            }
            // Looking back further and further costs little more than looking back far enough at once.
            reach = reach.checked_mul(4).unwrap_or(SignedDuration::MAX);
        }
    }
}
