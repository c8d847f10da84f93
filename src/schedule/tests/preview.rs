//! What is said about the slots to come.

use jiff::SignedDuration;
use proptest::prelude::*;

use super::slots::timing_and_instant;
use super::*;

proptest! {
    #![proptest_config(stuff::cases(100))]

    #[test]
    fn a_preview_is_the_next_slots_and_what_is_unusual_about_them((timing, from) in timing_and_instant()) {
        let previewed = preview(&timing, from, 12);
        let mut before = from;
        for seen in &previewed {
            prop_assert_eq!(Some(seen.slot), timing.next_after(before));
            prop_assert_eq!(seen.local.timestamp(), seen.slot);
            prop_assert_eq!(seen.note, expected_note(&timing, before, seen.slot), "{}", seen.local);
            before = seen.slot;
        }
        prop_assert!(previewed.len() == 12 || timing.next_after(before).is_none());
    }
}

fn expected_note(timing: &Timing, before: jiff::Timestamp, slot: jiff::Timestamp) -> Option<SlotNote> {
    let Timing::Cron { cron, zone, .. } = timing else { return None };
    if !cron.matches(zone.rules().to_datetime(slot)) {
        return Some(SlotNote::AfterGap);
    }
    let shown = oracle::shown_at(zone, slot);
    if shown.len() > 1 {
        return Some(if shown[0] == slot { SlotNote::FirstOfTwo } else { SlotNote::SecondOfTwo });
    }
    let (then, now) = (zone.rules().to_datetime(before), zone.rules().to_datetime(slot));
    let (on_the_wall, in_truth) = (then.duration_until(now), slot.duration_since(before));
    match on_the_wall - in_truth {
        SignedDuration::ZERO => None,
        set if set.is_positive() => Some(SlotNote::ClockForward),
        _ => Some(SlotNote::ClockBack),
    }
}

#[test]
fn a_clock_that_changed_is_noted_however_long_ago_the_slot_before_was() {
    let weekly = Timing::Cron {
        cron: Cron::parse("0 9 * * WED").expect("an expression"),
        zone: stuff::zone("Europe/Berlin"),
        dst: Dst::default(),
    };
    let from = "2025-03-20T00:00:00Z".parse().expect("a time");
    let notes: Vec<_> = preview(&weekly, from, 3).iter().map(|seen| seen.note).collect();
    assert_eq!(notes, [None, Some(SlotNote::ClockForward), None]);
}
