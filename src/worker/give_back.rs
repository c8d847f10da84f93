//! Gives back runs of tasks that this worker lacks, so that workers that have them get them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Inner;
use super::attempt::Verdict;
use super::claimer::signed;
use crate::clock::later;
use crate::run::lifecycle::{Outcome, Release, abandoned_after};
use crate::run::{Run, RunId, TaskName, Tenure};
use crate::store::Claimed;

/// How long a run is not offered again when it is first given back; each further time doubles it, up to the longest. Short
/// enough for a rolling deploy, where the next worker may well have the task.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// How often a task that is lacking is warned about.
const WARNING_EVERY: Duration = Duration::from_secs(60);

/// How long a worker that has given runs back lately lets others claim first when something becomes ready.
const HEAD_START: Duration = Duration::from_millis(100);

/// How long, and how many runs at most, are remembered to have been given back.
const REMEMBERED_FOR: Duration = Duration::from_secs(60);
const MOST_REMEMBERED: usize = 10_000;

/// What becomes of a run whose task this worker lacks.
pub(super) fn verdict(inner: &Inner, claimed: &Claimed) -> Verdict {
    let run = &claimed.run;
    if claimed.adopted {
        return match is_abandoned(inner, claimed) {
            true => Verdict::Finish(Outcome::Lost),
            // The task went away between the claim and now: the work is for others to adopt.
            false => Verdict::Release(Release::ForAdoption),
        };
    }
    let wait = inner.given_back.next_wait(run.id, Instant::now());
    if let Some(runs) = inner.given_back.to_be_warned_about(&run.task, Instant::now()) {
        let has: Vec<String> = inner.tasks.names().iter().map(TaskName::to_string).collect();
        tracing::warn!(
            task = %run.task, runs, has = has.join(", "),
            "this worker lacks the task: its runs are given back, for workers that have it"
        );
    }
    Verdict::Release(Release::Unrouted { wait: signed(jittered(wait)) })
}

/// Whether the store let this worker adopt the run only because nobody who has the task has come for long.
fn is_abandoned(inner: &Inner, Claimed { run, orphaned_at, .. }: &Claimed) -> bool {
    let (Some(orphaned_at), Some(claimed_at)) = (*orphaned_at, claimed_at(inner, run)) else { return false };
    later(orphaned_at, abandoned_after(signed(inner.settings.takeover_delay))) <= claimed_at
}

/// By the clock of the store.
fn claimed_at(inner: &Inner, run: &Run) -> Option<jiff::Timestamp> {
    match run.execution()?.tenure {
        Tenure::Leased { until } => until.checked_sub(signed(inner.settings.lease_ttl)).ok(),
        Tenure::Orphaned { .. } => None,
    }
}

/// Not all at once: what was given back together would come back together.
fn jittered(wait: Duration) -> Duration {
    wait.mul_f64(0.75 + fastrand::f64() / 4.0)
}

/// What this worker has given back lately.
#[derive(Default)]
pub(super) struct GivenBack(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    last: Option<Instant>,
    runs: HashMap<RunId, Offer>,
    tasks: HashMap<TaskName, Warning>,
}

/// A run that was offered and given back.
struct Offer {
    wait: Duration,
    at: Instant,
}

/// A task that is lacking.
struct Warning {
    at: Instant,
    /// How many runs were given back since.
    runs: u64,
}

impl GivenBack {
    /// Waits a moment if this worker has given runs back lately: what has become ready may be one of them again, and
    /// whoever has its task should be faster.
    pub(super) async fn let_others_go_first(&self) {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).last;
        if last.is_some_and(|at| at.elapsed() < REMEMBERED_FOR) {
            tokio::time::sleep(HEAD_START).await;
        }
    }

    /// For how long the run is not to be offered again.
    fn next_wait(&self, run: RunId, now: Instant) -> Duration {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memory.last = Some(now);
        let runs = &mut memory.runs;
        if runs.len() >= MOST_REMEMBERED {
            runs.retain(|_, offer| now.duration_since(offer.at) < REMEMBERED_FOR);
        }
        if runs.len() >= MOST_REMEMBERED {
            runs.clear();
        }
        let before = runs.get(&run).filter(|offer| now.duration_since(offer.at) < REMEMBERED_FOR);
        let wait = before.map_or(FIRST_WAIT, |offer| (offer.wait * 2).min(LONGEST_WAIT));
        runs.insert(run, Offer { wait, at: now });
        wait
    }

    /// How many runs of the task were given back since the last warning, if it is time for another.
    fn to_be_warned_about(&self, task: &TaskName, now: Instant) -> Option<u64> {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(warning) = memory.tasks.get_mut(task)
            && now.duration_since(warning.at) < WARNING_EVERY
        {
            warning.runs += 1;
            return None;
        }
        if memory.tasks.len() >= MOST_REMEMBERED {
            memory.tasks.clear();
        }
        let before = memory.tasks.insert(task.clone(), Warning { at: now, runs: 0 });
        Some(1 + before.map_or(0, |warning| warning.runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_of_a_run_that_comes_again_and_again_doubles_up_to_the_longest() {
        let (given_back, run, start) = (GivenBack::default(), RunId::new(), Instant::now());
        let mut now = start;
        let waits: Vec<u64> = (0..6)
            .map(|_| {
                let wait = given_back.next_wait(run, now);
                now += wait;
                wait.as_secs()
            })
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 15, 15]);
        assert_eq!(given_back.next_wait(RunId::new(), now), FIRST_WAIT, "each run has a wait of its own");
        assert_eq!(given_back.next_wait(run, now + REMEMBERED_FOR), FIRST_WAIT, "it was forgotten");
    }

    #[test]
    fn no_more_runs_are_remembered_than_fit() {
        let (given_back, now) = (GivenBack::default(), Instant::now());
        for _ in 0..=MOST_REMEMBERED {
            given_back.next_wait(RunId::new(), now);
        }
        assert!(given_back.0.lock().expect("a lock").runs.len() <= MOST_REMEMBERED);
    }

    #[test]
    fn a_task_is_warned_about_once_in_a_while() {
        let (given_back, now) = (GivenBack::default(), Instant::now());
        let task = TaskName::parse("resize").expect("a name");
        let told =
            [0, 1, 59, 60, 61].map(|after| given_back.to_be_warned_about(&task, now + Duration::from_secs(after)));
        assert_eq!(told, [Some(1), None, None, Some(3), None]);
        let other = TaskName::parse("mail").expect("a name");
        assert_eq!(given_back.to_be_warned_about(&other, now), Some(1));
    }
}
