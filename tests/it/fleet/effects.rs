//! What the work itself wrote down, and what must be true of it.

use std::collections::BTreeMap;
use std::path::Path;

use runlane::run::{Attempt, Run, RunId};

/// One execution of one attempt, as its process saw it.
#[derive(Clone, Debug)]
pub(super) struct Execution {
    attempt: u32,
    epoch: i64,
    begun: u128,
    /// When it was last known to be at work.
    seen: u128,
    ended: Option<u128>,
}

/// All of them, by run, in the order of beginning.
pub(crate) struct Effects(BTreeMap<RunId, Vec<Execution>>);

impl Effects {
    pub(super) fn read(path: &Path) -> Self {
        Self::parse(&std::fs::read_to_string(path).unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let mut runs: BTreeMap<RunId, Vec<Execution>> = BTreeMap::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [what, run, attempt, epoch, at] = words[..] else { panic!("a strange line: {line}") };
            let executions = runs.entry(run.parse().expect("an id")).or_default();
            let (attempt, epoch) = (attempt.parse().expect("a number"), epoch.parse().expect("a number"));
            let at = at.parse().expect("a number");
            match what {
                "begin" => executions.push(Execution { attempt, epoch, begun: at, seen: at, ended: None }),
                _ => {
                    let begun = executions.iter_mut().find(|execution| execution.epoch == epoch);
                    let execution = begun.expect("what goes on has begun");
                    execution.seen = at;
                    execution.ended = (what == "end").then_some(at);
                }
            }
        }
        Self(runs)
    }

    pub(super) fn begins(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// How many runs' work came to its end.
    pub(super) fn ended(&self) -> usize {
        self.0.values().filter(|executions| executions.iter().any(|execution| execution.ended.is_some())).count()
    }

    /// The work of a run was done, and what was done again is explained by an attempt recorded as lost.
    pub(super) fn judge(&self, run: &Run, attempts: &[Attempt]) {
        let executions = self.0.get(&run.id).map(Vec::as_slice).unwrap_or_default();
        let last = executions.last().unwrap_or_else(|| panic!("nothing was done for {run:#?}"));
        assert!(last.ended.is_some(), "the run succeeded, but its work did not end: {last:?} {run:#?}");
        assert_eq!(last.attempt, run.attempt, "the last work is that of the last attempt");
        for pair in executions.windows(2) {
            let [one, next] = pair else { continue };
            assert!(one.seen <= next.begun, "two at once: {one:?} {next:?}");
            assert!(one.attempt < next.attempt, "attempt {} was started twice: {executions:?}", one.attempt);
            let recorded = attempts.iter().find(|attempt| attempt.number == one.attempt);
            let error = recorded.and_then(|attempt| attempt.ended.as_ref()?.error.as_ref());
            let explained = error.is_some_and(|error| error.code == "lost");
            assert!(explained, "done again without a recorded loss: {one:?} then {next:?}; {attempts:#?}");
        }
    }

    /// Within a lane, work never overlaps.
    pub(super) fn judge_lanes(&self, runs: &BTreeMap<RunId, Run>) {
        let mut lanes: BTreeMap<String, Vec<(RunId, &Execution)>> = BTreeMap::new();
        for (id, executions) in &self.0 {
            let Some(lane) = runs.get(id).and_then(|run| run.lane.as_ref()) else { continue };
            lanes.entry(lane.to_string()).or_default().extend(executions.iter().map(|execution| (*id, execution)));
        }
        for (lane, mut executions) in lanes {
            executions.sort_by_key(|(_, execution)| execution.begun);
            for pair in executions.windows(2) {
                let [(one, before), (other, after)] = pair else { continue };
                assert!(before.seen <= after.begun, "in {lane}, {one} and {other} overlap: {before:?} {after:?}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use jiff::Timestamp;
    use runlane::run::lifecycle::{self, Outcome, Taker};
    use runlane::run::{HostName, Jitter, Json, LaneName, NewRun, TaskName, WorkerId};

    use super::*;

    /// A run of a lane, succeeded at the second attempt after the first was lost; and its attempts.
    fn a_run() -> (Run, Vec<Attempt>) {
        let mut request = NewRun::of(TaskName::parse("effect").expect("a name"), Json::null());
        request.max_attempts = NonZeroU16::new(3).expect("not zero");
        let (now, until) = (Timestamp::UNIX_EPOCH, Timestamp::MAX);
        let taker = Taker { worker: WorkerId::new(), host: HostName::parse("yard").expect("a name") };
        let run = lifecycle::submit(&request, 0, false, now);
        let run = lifecycle::claim(run, &taker, until, now).expect("claimed").run;
        let lost = lifecycle::finish(run, 1, Outcome::Lost, Jitter(0), now, now).expect("lost");
        let mut run = lost.run;
        run.state = runlane::run::State::Retrying(None);
        let run = lifecycle::claim(run, &taker, until, now).expect("claimed").run;
        let done = Outcome::Succeeded { output: None };
        let mut run = lifecycle::finish(run, 2, done, Jitter(0), now, now).expect("done").run;
        run.lane = Some(LaneName::parse("a").expect("a name"));
        (run, lost.ended.into_iter().collect())
    }

    #[test]
    fn work_done_again_after_a_recorded_loss_is_fine() {
        let (run, attempts) = a_run();
        let id = run.id;
        Effects::parse(&format!("begin {id} 1 1 5\nbegin {id} 2 2 7\nend {id} 2 2 9\n")).judge(&run, &attempts);
    }

    #[test]
    #[should_panic(expected = "done again without a recorded loss")]
    fn work_done_again_without_a_record_is_seen() {
        let (run, _) = a_run();
        let id = run.id;
        Effects::parse(&format!("begin {id} 1 1 5\nbegin {id} 2 2 7\nend {id} 2 2 9\n")).judge(&run, &[]);
    }

    #[test]
    #[should_panic(expected = "was started twice")]
    fn an_attempt_started_twice_is_seen() {
        let (run, attempts) = a_run();
        let id = run.id;
        Effects::parse(&format!("begin {id} 2 2 5\nbegin {id} 2 3 7\nend {id} 2 3 9\n")).judge(&run, &attempts);
    }

    #[test]
    #[should_panic(expected = "two at once")]
    fn a_run_executed_twice_at_once_is_seen() {
        let (run, attempts) = a_run();
        let id = run.id;
        let text = format!("begin {id} 1 1 5\nbegin {id} 2 2 7\nbeat {id} 1 1 8\nend {id} 2 2 9\n");
        Effects::parse(&text).judge(&run, &attempts);
    }

    #[test]
    #[should_panic(expected = "nothing was done")]
    fn a_run_without_work_is_seen() {
        let (run, attempts) = a_run();
        Effects::parse("").judge(&run, &attempts);
    }

    #[test]
    #[should_panic(expected = "overlap")]
    fn work_that_overlaps_in_a_lane_is_seen() {
        let ((one, _), (other, _)) = (a_run(), a_run());
        let (a, b) = (one.id, other.id);
        let text = format!("begin {a} 1 1 1\nbegin {b} 1 1 2\nend {a} 1 1 3\nend {b} 1 1 4\n");
        Effects::parse(&text).judge_lanes(&BTreeMap::from([(a, one), (b, other)]));
    }
}
