//! The slots to come, as a person wants to see them.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::Timing;

/// A slot to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Previewed {
    /// When it is.
    pub slot: Timestamp,
    /// What the clock on the wall shows then.
    pub local: Zoned,
    /// What is unusual about it.
    pub note: Option<SlotNote>,
}

/// What is unusual about a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotNote {
    /// The clock skipped the time it was meant for: it is due right after.
    AfterGap,
    /// The clock shows this time twice; this is the first.
    FirstOfTwo,
    /// The clock shows this time twice; this is the second.
    SecondOfTwo,
    /// The clock is set forward between the slot before and this one.
    ClockForward,
    /// The clock is set back between the slot before and this one.
    ClockBack,
}

impl SlotNote {
    /// The note as a sentence.
    pub fn text(self) -> &'static str {
        match self {
            SlotNote::AfterGap => "the clock skips this time; due right after the gap",
            SlotNote::FirstOfTwo => "the clock shows this time twice; this is the first",
            SlotNote::SecondOfTwo => "the clock shows this time twice; this is the second",
            SlotNote::ClockForward => "the clock was set forward since the previous slot",
            SlotNote::ClockBack => "the clock was set back since the previous slot",
        }
    }
}

/// The first `count` slots after `from`.
pub fn preview(timing: &Timing, from: Timestamp, count: usize) -> Vec<Previewed> {
    let zone = match timing {
        Timing::Cron { zone, .. } => zone.rules().clone(),
        _ => TimeZone::UTC,
    };
    let mut slots = Vec::new();
    let mut before = from;
    while slots.len() < count {
        let Some(slot) = timing.next_after(before) else { break };
        let local = slot.to_zoned(zone.clone());
        let note = note(timing, &local, before);
        slots.push(Previewed { slot, local, note });
        before = slot;
    }
    slots
}

fn note(timing: &Timing, local: &Zoned, before: Timestamp) -> Option<SlotNote> {
    let Timing::Cron { cron, zone, .. } = timing else { return None };
    if !cron.matches(local.datetime()) {
        return Some(SlotNote::AfterGap);
    }
    let rules = zone.rules();
    if rules.to_ambiguous_timestamp(local.datetime()).is_ambiguous() {
        let first = rules.to_ambiguous_timestamp(local.datetime()).earlier().ok() == Some(local.timestamp());
        return Some(if first { SlotNote::FirstOfTwo } else { SlotNote::SecondOfTwo });
    }
    let (then, now) = (rules.to_offset(before), local.offset());
    match now.seconds().cmp(&then.seconds()) {
        std::cmp::Ordering::Greater => Some(SlotNote::ClockForward),
        std::cmp::Ordering::Less => Some(SlotNote::ClockBack),
        std::cmp::Ordering::Equal => None,
    }
}
