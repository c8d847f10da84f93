//! Slots, whatever the expression, the zone and the policy.

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::stuff::{all_between, any_cron, any_dst, any_instant, any_timing, any_zone, instant_near_change};
use super::*;

proptest! {
    #![proptest_config(stuff::cases(100))]

    #[test]
    fn slots_are_those_found_by_looking_at_every_minute(
        (cron, zone, dst, after) in any_zone().prop_flat_map(|zone| {
            let near = instant_near_change(&zone);
            (any_cron(), Just(zone), any_dst(), near)
        }),
        hours in 1_i64..60,
    ) {
        let until = after + SignedDuration::from_hours(hours);
        let expected = oracle::slots_between(&cron, &zone, dst, after, until);
        let found = all_between(&Timing::Cron { cron, zone, dst }, after, until);
        prop_assert_eq!(found, Vec::from_iter(expected));
    }

    #[test]
    fn a_slot_suits_the_wall_or_follows_a_gap((timing, after) in timing_and_instant()) {
        let Timing::Cron { cron, zone, dst } = &timing else { return Ok(()) };
        let Some(slot) = timing.next_after(after) else { return Ok(()) };
        prop_assert!(slot > after);
        let local = zone.rules().to_datetime(slot);
        let before = zone.rules().to_datetime(slot - SignedDuration::from_secs(1));
        let skipped = before.duration_until(local) > SignedDuration::from_secs(1);
        let made_up_for = || cron.next_from(before + SignedDuration::from_secs(1)).is_some_and(|time| time < local);
        prop_assert!(cron.matches(local) || dst.gap == Gap::After && skipped && made_up_for());
    }

    #[test]
    fn the_latest_slots_are_the_last_of_all(
        (timing, after) in timing_and_instant(),
        count in 0_usize..40,
        minutes in -10_i64..10_000,
    ) {
        let until = after + SignedDuration::from_mins(minutes);
        let all = all_between(&timing, after, until);
        let expected = &all[all.len().saturating_sub(count)..];
        prop_assert_eq!(timing.latest(count, after, until), expected);
    }

    #[test]
    fn slots_are_the_same_wherever_the_search_begins((timing, after) in timing_and_instant(), back in 0_i64..5_000) {
        let earlier = after - SignedDuration::from_mins(back);
        let Some(slot) = timing.next_after(after) else { return Ok(()) };
        let on_the_way = all_between(&timing, earlier, slot);
        prop_assert_eq!(on_the_way.last(), Some(&slot));
        prop_assert!(on_the_way.is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn again_and_again_is_a_whole_number_of_rounds_later(seconds in 1_u32.., from in any_instant(), after in any_instant()) {
        let every = Timing::Every { seconds: seconds.try_into().expect("more than none"), from };
        let Some(slot) = every.next_after(after) else { return Ok(()) };
        let round = SignedDuration::from_secs(seconds.into());
        prop_assert!(slot > after && slot >= from);
        prop_assert!(slot == from || slot - round <= after);
        prop_assert_eq!(slot.duration_since(from).as_nanos() % round.as_nanos(), 0);
    }

    #[test]
    fn once_is_once(at in any_instant(), after in any_instant()) {
        let once = Timing::Once { at };
        prop_assert_eq!(once.next_after(after), Some(at).filter(|at| *at > after));
        prop_assert_eq!(once.next_after(at), None);
    }

    #[test]
    fn the_next_time_on_the_wall_is_the_first_that_matches(cron in any_cron(), start in any_instant(), days in 1_i64..8) {
        let start = jiff::tz::TimeZone::UTC.to_datetime(start);
        let end = start + SignedDuration::from_hours(24 * days);
        let expected = minutes_from(start).take_while(|time| *time < end).find(|time| cron.matches(*time));
        let found = cron.next_from(start);
        prop_assert_eq!(found.filter(|time| *time < end), expected);
        prop_assert!(found.is_some_and(|time| time >= start && cron.matches(time)));
    }

    #[test]
    fn an_expression_is_read_back_from_its_text(cron in any_cron()) {
        let text = serde_json::to_string(&cron).expect("text");
        prop_assert_eq!(serde_json::from_str::<Cron>(&text).expect("an expression"), cron);
    }
}

fn minutes_from(start: DateTime) -> impl Iterator<Item = DateTime> {
    let whole = start.with().second(0).subsec_nanosecond(0).build().expect("a minute");
    let minute = |time: &DateTime| Some(*time + SignedDuration::from_mins(1));
    std::iter::successors(Some(whole), minute).skip_while(move |time| *time < start)
}

pub(super) fn timing_and_instant() -> impl Strategy<Value = (Timing, Timestamp)> {
    any_timing().prop_flat_map(|timing| {
        let near = match &timing {
            Timing::Cron { zone, .. } => instant_near_change(zone).boxed(),
            Timing::Every { from: at, .. } | Timing::Once { at } => {
                let at = *at;
                (-10_000_i64..10_000).prop_map(move |seconds| at + SignedDuration::from_secs(seconds)).boxed()
            }
        };
        (Just(timing), near)
    })
}

#[test]
fn a_slot_that_is_skipped_every_year_is_not_waited_for_for_ever() {
    // Berlin's clock skips half past two on exactly these days.
    let skipped = Timing::Cron {
        cron: Cron::parse("30 2 * MAR SUNL").expect("an expression"),
        zone: stuff::zone("Europe/Berlin"),
        dst: Dst { gap: Gap::Skip, overlap: Fold::First },
    };
    assert_eq!(skipped.next_after("2026-01-01T00:00:00Z".parse().expect("a time")), None);
}

#[test]
fn the_second_time_is_found_though_the_next_match_is_far_away() {
    let at = |text: &str| text.parse::<Timestamp>().expect("a time");
    // Before the first of the two, and between them.
    for (overlap, after) in [(Fold::Second, "2025-10-26T00:00:00Z"), (Fold::Both, "2025-10-26T00:59:00Z")] {
        let second = Timing::Cron {
            cron: Cron::parse("30 2 26 10 *").expect("an expression"),
            zone: stuff::zone("Europe/Berlin"),
            dst: Dst { gap: Gap::After, overlap },
        };
        assert_eq!(second.next_after(at(after)), Some(at("2025-10-26T01:30:00Z")), "{overlap:?}");
    }
}

#[test]
fn the_end_of_time_is_reached_in_peace() {
    for text in ["* * * * *", "0 0 1 1 *", "0 0 29 2 *"] {
        for name in ["UTC", "Europe/Berlin", "Pacific/Chatham", "Pacific/Apia", "America/Santiago"] {
            let timing = Timing::Cron {
                cron: Cron::parse(text).expect("an expression"),
                zone: stuff::zone(name),
                dst: Dst::default(),
            };
            for hours in 0..100 {
                let Ok(near) = Timestamp::MAX.checked_sub(SignedDuration::from_hours(hours)) else { continue };
                assert!(timing.next_after(near).is_none_or(|slot| slot > near));
            }
            assert_eq!(timing.next_after(Timestamp::MAX), None);
            assert!(timing.next_after(Timestamp::MIN).is_some_and(|slot| slot > Timestamp::MIN));
        }
    }
}
