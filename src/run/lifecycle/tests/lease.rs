//! Claims, leases, epochs and adoption.

use jiff::SignedDuration;

use crate::run::lifecycle::sample::{asked, at, attempted, executed, host, leased_ahead, now, queued, running};
use crate::run::lifecycle::{LeaseLost, Taker, adopt, begin, claim, claim_ahead, holds, may_adopt, orphan, renew};
use crate::run::{
    AttemptedBy, BlockedBy, Execution, GrantId, LaneName, Run, ScheduleId, Scheduled, State, Status, Stop, Tenure,
    WorkerId,
};

fn somebody(on: &str) -> Taker {
    Taker { worker: WorkerId::new(), host: host(on) }
}

fn orphaned(since: i64) -> Run {
    executed(Tenure::Orphaned { since: at(since) }, Some(Stop::Pause))
}

#[test]
fn a_claim_counts_an_attempt_and_begins_an_epoch() {
    let taker = somebody("there");
    let run = claim(queued(), &taker, at(30), now()).expect("ready").run;
    assert_eq!((run.attempt, run.epoch, run.started_at), (1, 1, Some(now())));
    let by = AttemptedBy { worker: taker.worker, host: taker.host, started_at: now() };
    assert_eq!(run.state, State::Running(Execution { by, tenure: Tenure::Leased { until: at(30) }, stop: None }));
}

#[test]
fn a_later_claim_keeps_when_the_run_first_started() {
    let run = claim(attempted(2), &somebody("there"), at(30), now()).expect("ready").run;
    assert_eq!((run.attempt, run.epoch, run.started_at), (3, 3, Some(at(-500))));
}

#[test]
fn a_claim_ahead_leases_the_run_and_counts_no_attempt() {
    let taker = somebody("there");
    let run = claim_ahead(queued(), &taker, at(30), now()).expect("ready").run;
    assert_eq!((run.status(), run.blocked_by()), (Status::Queued, Some(BlockedBy::Worker)));
    assert_eq!((run.attempt, run.epoch, run.started_at), (0, 1, None));
    assert!(holds(&run, 1, now()) && !holds(&run, 1, at(30)) && !run.is_ready());
}

#[test]
fn what_must_be_checked_or_kept_in_order_is_not_claimed_ahead() {
    let scheduled = Scheduled { schedule: ScheduleId::new(), slot: None, grant: GrantId::new() };
    for run in [
        Run { max_attempts: 1, ..queued() },
        Run { attempt: 2, ..queued() },
        Run { lane: LaneName::parse("l").ok(), ..queued() },
        Run { scheduled: Some(scheduled), ..queued() },
        Run { state: State::Retrying(None), ..attempted(1) },
        Run { state: State::Queued(Some(BlockedBy::AvailableAt)), ..queued() },
        leased_ahead(None),
    ] {
        assert_eq!(claim_ahead(run, &somebody("there"), at(30), now()), None);
    }
}

#[test]
fn a_run_leased_ahead_may_have_begun_when_its_lease_runs_out() {
    let run = orphan(leased_ahead(None), at(30)).expect("it ran out").run;
    assert_eq!((run.attempt, run.started_at), (1, Some(at(-10))));
    assert_eq!(run.execution().map(|execution| execution.tenure), Some(Tenure::Orphaned { since: at(30) }));
    assert_eq!(orphan(leased_ahead(None), at(29)), None);
}

#[test]
fn a_renewal_may_say_that_a_run_leased_ahead_has_begun() {
    let renewed = |began| renew(leased_ahead(None), 1, at(60), began, now()).expect("held").0.run;
    assert_eq!((renewed(None).status(), renewed(None).attempt), (Status::Queued, 0));
    let begun = renewed(Some(at(-2)));
    assert_eq!((begun.status(), begun.attempt, begun.started_at), (Status::Running, 1, Some(at(-2))));
    assert_eq!(begin(begun.clone(), now()), begun, "once");
}

#[test]
fn an_adoption_begins_an_epoch_but_no_attempt_and_forgets_no_request() {
    let taker = somebody("there");
    let run = adopt(orphaned(-1), &taker, at(30)).expect("orphaned").run;
    assert_eq!((run.attempt, run.epoch), (1, 2));
    let by = AttemptedBy { worker: taker.worker, host: taker.host, started_at: at(-10) };
    let tenure = Tenure::Leased { until: at(30) };
    assert_eq!(run.state, State::Running(Execution { by, tenure, stop: Some(Stop::Pause) }));
}

#[test]
fn the_same_host_adopts_at_once_and_another_after_the_delay() {
    let delay = SignedDuration::from_secs(60);
    assert!(may_adopt(&orphaned(0), &host("here"), true, delay, now()));
    assert!(!may_adopt(&orphaned(-59), &host("there"), true, delay, now()));
    assert!(may_adopt(&orphaned(-60), &host("there"), true, delay, now()));
    assert!(!may_adopt(&running(), &host("here"), true, delay, now()), "somebody holds it");
    assert!(!may_adopt(&queued(), &host("here"), true, delay, now()));
}

#[test]
fn a_worker_that_lacks_the_task_adopts_only_what_nobody_adopts_for_long() {
    let delay = SignedDuration::from_secs(60);
    for name in ["here", "there"] {
        assert!(!may_adopt(&orphaned(-599), &host(name), false, delay, now()));
        assert!(may_adopt(&orphaned(-600), &host(name), false, delay, now()));
    }
    assert!(!may_adopt(&running(), &host("here"), false, delay, now()), "somebody holds it");
}

#[test]
fn a_lease_holds_for_its_epoch_until_the_instant_it_ends() {
    assert!(holds(&running(), 1, at(29)));
    assert!(!holds(&running(), 1, at(30)));
    assert!(!holds(&running(), 0, now()));
    assert!(!holds(&orphaned(-1), 1, now()));
    assert!(!holds(&attempted(1), 1, now()));
}

#[test]
fn a_renewal_extends_the_lease_and_tells_what_was_asked() {
    for stop in [Stop::Cancel, Stop::Pause] {
        let (step, told) = renew(asked(stop), 1, at(60), None, now()).expect("held");
        assert_eq!(told, Some(stop));
        assert_eq!(step.run.state, executed(Tenure::Leased { until: at(60) }, Some(stop)).state);
    }
    assert_eq!(renew(running(), 1, at(60), None, now()).map(|(_, told)| told), Ok(None));
    assert_eq!(renew(running(), 2, at(60), None, now()), Err(LeaseLost));
    assert_eq!(renew(running(), 1, at(60), None, at(30)), Err(LeaseLost), "too late, though nobody took it");
}

#[test]
fn a_lease_that_ran_out_leaves_the_run_running_without_anybody() {
    assert_eq!(orphan(running(), at(29)), None);
    let step = orphan(running(), at(99)).expect("run out");
    assert_eq!(step.run.state, executed(Tenure::Orphaned { since: at(30) }, None).state);
    assert_eq!((step.run.epoch, step.run.attempt, step.ended), (1, 1, None));
    assert_eq!(orphan(orphaned(-1), now()), None, "only once");
}
