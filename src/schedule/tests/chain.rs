//! No slot is lost and none is counted twice, however late a chain goes on.

use std::num::NonZeroU32;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::slots::timing_and_instant;
use super::stuff::{a_schedule, all_between};
use super::*;
use crate::run::ScheduleId;

/// What was ahead of a schedule when its chain went on.
#[derive(Debug)]
struct Scene {
    schedule: Schedule,
    position: Position,
    now: Timestamp,
}

impl Scene {
    /// After this instant a slot counts: neither is it past, nor is it from before the schedule began or began anew.
    fn after(&self) -> Timestamp {
        self.position.slot.max(self.schedule.since)
    }

    /// The slots that went by.
    fn gone_by(&self) -> Vec<Timestamp> {
        all_between(&self.schedule.spec.timing, self.after(), self.now)
    }

    /// The next slot, by the words of the fields.
    fn expected_next(&self) -> Option<Timestamp> {
        let (spec, gone_by) = (&self.schedule.spec, self.gone_by());
        let to_come = spec.timing.next_after(self.after().max(self.now));
        let latest = gone_by.len().saturating_sub(spec.catch_up_limit.into());
        let in_time = |slot: &&Timestamp| match spec.start_within_seconds {
            Some(seconds) => self.schedule.due(**slot) + SignedDuration::from_secs(seconds.get().into()) > self.now,
            None => true,
        };
        gone_by[latest..].iter().find(in_time).copied().or(to_come)
    }

    fn expected_reason(&self, slot: Timestamp) -> SkipReason {
        match self.position.began {
            Some(began) if began <= slot => SkipReason::Overlap,
            _ => SkipReason::Missed,
        }
    }
}

proptest! {
    #![proptest_config(stuff::cases(100))]

    #[test]
    fn every_slot_has_its_run_or_its_record(scene in any_scene()) {
        let Advance { next, skips } = scene.schedule.advance(scene.position, scene.now);
        prop_assert_eq!(next, scene.expected_next());
        let mut passed = scene.gone_by();
        passed.retain(|slot| next.is_none_or(|next| *slot < next));
        let mut rest = &passed[..];
        for skip in &skips {
            let alike = rest.iter().take_while(|slot| scene.expected_reason(**slot) == skip.reason).count();
            let (these, others) = rest.split_at(alike);
            prop_assert_eq!(these.first(), Some(&skip.first));
            prop_assert_eq!(these.last(), Some(&skip.last));
            prop_assert_eq!(skip.count, u32::try_from(these.len().min(1_000)).expect("few"));
            prop_assert_eq!((skip.schedule, skip.at), (scene.schedule.id, scene.now));
            rest = others;
        }
        prop_assert!(rest.is_empty(), "without a record: {:?}", rest);
        prop_assert!(skips.len() <= 2 && skips.windows(2).all(|pair| pair[0].id != pair[1].id));
    }

    #[test]
    fn a_chain_that_catches_up_ends_up_in_the_future(scene in any_scene()) {
        let Scene { mut schedule, mut position, now } = scene;
        schedule.spec.catch_up_limit %= 20;
        let mut runs = 0_u32;
        while let Some(next) = schedule.advance(position, now).next.filter(|next| *next <= now) {
            prop_assert!(next > position.slot);
            position = Position { slot: next, began: Some(now) };
            runs += 1;
        }
        prop_assert!(runs <= schedule.spec.catch_up_limit.into());
        let to_come = schedule.spec.timing.next_after(position.slot.max(schedule.since).max(now));
        prop_assert_eq!(schedule.advance(position, now).next, to_come);
    }

    #[test]
    fn a_run_is_put_off_by_less_than_the_jitter_and_always_by_as_much(scene in any_scene()) {
        let Scene { schedule, position: Position { slot, .. }, .. } = scene;
        let jitter = SignedDuration::from_secs(schedule.spec.jitter_seconds.into());
        let due = schedule.due(slot);
        prop_assert_eq!(due, schedule.clone().due(slot));
        prop_assert!(slot <= due && (due < slot + jitter || jitter.is_zero() && due == slot));
    }
}

#[test]
fn jitter_spreads_schedules_and_slots() {
    let at = |second| Timestamp::from_second(second).expect("in time");
    let mut schedule = a_schedule(Timing::Once { at: at(0) });
    schedule.spec.jitter_seconds = 600;
    let waits = |schedule: &Schedule| {
        let wait = |slot| schedule.due(slot).duration_since(slot);
        (0..1_000).map(|day| wait(at(day * 86_400))).collect::<Vec<_>>()
    };
    let (these, others) = (waits(&schedule), waits(&Schedule { id: ScheduleId::new(), ..schedule.clone() }));
    assert_ne!(these, others);
    for minute in 0..10 {
        let within = |wait: &&SignedDuration| wait.as_mins() == minute;
        let share = these.iter().filter(within).count();
        assert!((50..150).contains(&share), "{share} of 1,000 in minute {minute}");
    }
}

fn any_scene() -> impl Strategy<Value = Scene> {
    let gone = prop_oneof![-60_i64..300, 0_i64..10_000, Just(100_000_i64)];
    let catch_up = prop_oneof![Just(0_u16), 1_u16..5, Just(1_500)];
    let deadline = prop_oneof![Just(None), (1_u32..20_000).prop_map(NonZeroU32::new)];
    let jitter = prop_oneof![Just(0_u32), 1_u32..5_000, Just(u32::MAX)];
    let began = proptest::option::of(0_i64..600_000);
    (timing_and_instant(), gone, -100_i64..300, began, catch_up, deadline, jitter).prop_map(
        |((timing, slot), gone, since, began, catch_up, deadline, jitter)| {
            let now = slot + SignedDuration::from_mins(gone);
            let began = began.map(|seconds| (slot + SignedDuration::from_secs(seconds)).min(now));
            let mut schedule = a_schedule(timing);
            schedule.spec.catch_up_limit = catch_up;
            schedule.spec.start_within_seconds = deadline;
            schedule.spec.jitter_seconds = jitter;
            schedule.since = (slot + SignedDuration::from_mins(since)).min(now);
            Scene { schedule, position: Position { slot, began }, now }
        },
    )
}
