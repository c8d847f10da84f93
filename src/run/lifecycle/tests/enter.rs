//! How runs come in: what blocks them, what unblocks them, and replacement by key.

use jiff::SignedDuration;

use crate::run::lifecycle::sample::{a_request, at, attempted, finished, now, queued};
use crate::run::lifecycle::{replace, started, submit, unblock};
use crate::run::{BlockedBy, Due, Ending, Json, KeyMode, LaneName, NewRun, Run, RunId, RunKey, State};

fn in_lane() -> NewRun {
    NewRun { lane: LaneName::parse("l").ok(), ..a_request() }
}

#[test]
fn a_new_run_has_no_past() {
    let request = a_request();
    let run = submit(&request, 5, false, now());
    assert_eq!((run.id, run.seq, run.requested_at, run.available_at), (request.id, 5, now(), now()));
    assert_eq!((run.attempt, run.epoch, run.interruptions, run.started_at), (0, 0, 0, None));
    assert_eq!((run.max_attempts, run.attempts_granted), (3, 3));
    assert_eq!((run.error, run.output, run.awaited, run.state), (None, None, false, State::Queued(None)));
}

#[test]
fn the_first_reason_that_holds_is_the_one_that_blocks() {
    let late = |request: NewRun| NewRun { due: Due::After(SignedDuration::from_secs(9)), ..request };
    let blocked_by = |request: NewRun, waits| submit(&request, 1, waits, now()).blocked_by();
    assert_eq!(blocked_by(late(in_lane()), true), Some(BlockedBy::Upstream));
    assert_eq!(blocked_by(late(in_lane()), false), Some(BlockedBy::AvailableAt));
    assert_eq!(blocked_by(in_lane(), false), Some(BlockedBy::Lane));
    assert_eq!(blocked_by(a_request(), false), None);
    assert_eq!(blocked_by(NewRun { due: Due::At(now()), ..a_request() }, false), None, "due this very instant");
    assert_eq!(blocked_by(NewRun { due: Due::At(at(-9)), ..a_request() }, false), None);
}

#[test]
fn a_held_run_is_pending_whatever_it_waits_for() {
    let request = NewRun { hold: true, ..in_lane() };
    assert_eq!(submit(&request, 1, true, now()).state, State::Pending);
}

#[test]
fn what_is_unblocked_meets_the_next_reason() {
    let blocked = |reason, run: Run| Run { state: State::Queued(Some(reason)), ..run };
    let late = Run { available_at: at(9), ..queued() };
    assert_eq!(unblock(blocked(BlockedBy::Upstream, late), now()).blocked_by(), Some(BlockedBy::AvailableAt));
    let lane = Run { lane: LaneName::parse("l").ok(), ..queued() };
    assert_eq!(unblock(blocked(BlockedBy::AvailableAt, lane), now()).blocked_by(), Some(BlockedBy::Lane));
    assert!(unblock(blocked(BlockedBy::Upstream, queued()), now()).is_ready());
}

#[test]
fn a_retrying_run_is_never_behind_its_own_lane() {
    let state = State::Retrying(Some(BlockedBy::AvailableAt));
    let run = Run { lane: LaneName::parse("l").ok(), available_at: at(9), state, ..attempted(1) };
    assert_eq!(unblock(run.clone(), now()).blocked_by(), Some(BlockedBy::AvailableAt));
    assert_eq!(unblock(run, at(9)).state, State::Retrying(None));
}

#[test]
fn only_a_waiting_run_is_unblocked() {
    for run in [finished(Ending::Failed), Run { state: State::Paused, ..queued() }] {
        assert_eq!(unblock(run.clone(), now()), run);
    }
}

#[test]
fn a_run_has_started_once_it_was_claimed_even_if_it_is_queued_again() {
    assert!(!started(&queued()));
    assert!(started(&Run { attempt: 0, ..attempted(1) }));
}

#[test]
fn a_replaced_run_keeps_its_identity_and_place_and_takes_on_the_rest() {
    let old = Run { seq: 42, epoch: 3, awaited: true, available_at: at(70), ..queued() };
    let key = RunKey::parse("k").expect("short");
    let payload = Json::parse("[2]").expect("JSON");
    let new = NewRun { id: RunId::new(), payload, key: Some((key.clone(), KeyMode::Replace)), ..in_lane() };
    let run = replace(&old, &new, false, false, now());
    assert_eq!((run.id, run.seq, run.requested_at, run.awaited), (old.id, 42, old.requested_at, true));
    assert_eq!(run.epoch, 3, "it was leased ahead and given back");
    assert_eq!((run.payload, run.lane, run.key), (new.payload.clone(), new.lane.clone(), Some(key)));
    assert_eq!((run.available_at, run.state), (now(), State::Queued(Some(BlockedBy::Lane))));
    let kept = replace(&old, &new, true, false, now());
    assert_eq!((kept.available_at, kept.blocked_by()), (at(70), Some(BlockedBy::AvailableAt)));
}

#[test]
fn a_replacement_neither_wakes_a_paused_run_nor_loses_a_hold() {
    let state_of = |old: State, hold| {
        let old = Run { state: old, ..queued() };
        replace(&old, &NewRun { hold, ..a_request() }, false, true, now()).state
    };
    assert_eq!(state_of(State::Paused, false), State::Paused);
    assert_eq!(state_of(State::Queued(None), true), State::Pending);
    assert_eq!(state_of(State::Pending, false), State::Queued(Some(BlockedBy::Upstream)));
}
