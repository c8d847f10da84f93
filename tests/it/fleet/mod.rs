//! Worker processes with programs as tasks, on a real database, under faults: killed, frozen, their database gone.
//!
//! Small here; `make chaos` makes it long. Settings: RUNLANE_CHAOS_RUNS, _KILLS, _FREEZES, _OUTAGES and RUNLANE_SEED.

mod bad_tasks;
mod cluster;
mod database_away;
mod drains;
mod effects;
mod faults;
mod operations;
mod rolling;
mod same_file;
mod schedules;
mod stops;
mod worker;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use runlane::actions::submit_runs;
use runlane::run::{Json, LaneName, NewRun, Run, RunId, Status, TaskName, WorkspaceName};
use runlane::store::{Admission, Store};

/// How many of everything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) runs: usize,
    pub(super) kills: usize,
    pub(super) freezes: usize,
    pub(super) outages: usize,
}

impl Scale {
    /// As small as given, unless the environment asks for more.
    pub(super) fn at_least(runs: usize, kills: usize, freezes: usize, outages: usize) -> Self {
        let asked = |name: &str, usual: usize| {
            std::env::var(format!("RUNLANE_CHAOS_{name}")).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
        };
        Self {
            runs: asked("RUNS", runs),
            kills: asked("KILLS", kills),
            freezes: asked("FREEZES", freezes),
            outages: asked("OUTAGES", outages),
        }
    }
}

/// A directory with what the workers of a test share: settings, data, the log of effects.
pub(super) struct Yard {
    dir: tempfile::TempDir,
}

impl Yard {
    /// `millis`: how long each piece of work takes.
    pub(super) fn new(millis: u64) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let (program, effects) = (beside_the_tests("chaos_effect"), dir.path().join("effects"));
        let command = serde_json::json!([program, effects, millis.to_string()]);
        let config = format!("[tasks.effect]\nexecutor = \"process\"\ncommand = {command}\nstop_grace_seconds = 1\n");
        std::fs::write(dir.path().join("runlane.toml"), config).expect("written");
        Self { dir }
    }

    /// With these tasks: name, command, further settings.
    pub(super) fn with_tasks(tasks: &[(&str, &str, &str)]) -> Self {
        Self::with_tasks_in(tempfile::tempdir().expect("a directory"), tasks)
    }

    pub(super) fn with_tasks_in(dir: tempfile::TempDir, tasks: &[(&str, &str, &str)]) -> Self {
        let section = |(name, command, more): &(&str, &str, &str)| {
            format!("[tasks.{name}]\nexecutor = \"process\"\ncommand = {command}\n{more}\n")
        };
        let config: String = tasks.iter().map(section).collect();
        let yard = Self { dir };
        yard.configure(&config);
        yard
    }

    /// Writes the file that the processes read.
    pub(super) fn configure(&self, config: &str) {
        std::fs::write(self.path("runlane.toml"), config).expect("written");
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// What its processes have logged with these words, if they log JSON.
    pub(super) fn logged(&self, words: &str) -> Vec<serde_json::Value> {
        let log = std::fs::read_to_string(self.path("workers.log")).unwrap_or_default();
        // The last line may not be all there yet.
        let lines = log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        lines.filter(|line| line["message"].as_str().is_some_and(|message| message.contains(words))).collect()
    }

    /// Waits until it has been logged so often.
    pub(super) async fn until_logged(&self, words: &str, times: usize, patience: Duration) -> Vec<serde_json::Value> {
        let began = Instant::now();
        loop {
            let found = self.logged(words);
            if found.len() >= times {
                return found;
            }
            let log = || std::fs::read_to_string(self.path("workers.log")).unwrap_or_default();
            assert!(began.elapsed() < patience, "{words:?} was logged {} times:\n{}", found.len(), log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// What the work wrote down, so far.
    pub(super) fn effects(&self) -> effects::Effects {
        effects::Effects::read(&self.path("effects"))
    }
}

fn beside_the_tests(example: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("the test has a path");
    tests.ancestors().nth(2).expect("tests are in target/<profile>/deps").join("examples").join(example)
}

/// Submits so many runs; every third stands in one of a few lanes.
pub(super) async fn submit(store: &dyn Store, runs: usize, first: usize) -> Vec<RunId> {
    let task = TaskName::parse("effect").expect("a name");
    let requests: Vec<NewRun> = (first..first + runs)
        .map(|number| {
            let mut request = NewRun::of(task.clone(), Json::parse(number.to_string()).expect("JSON"));
            // Losing a worker must not cost a run, however often it happens.
            request.max_attempts = std::num::NonZeroU16::new(50).expect("not zero");
            if number % 3 == 0 {
                request.lane = Some(LaneName::parse(format!("lane-{}", number / 3 % 5)).expect("a name"));
            }
            request
        })
        .collect();
    for batch in requests.chunks(500) {
        let outcomes = submit_runs(store, batch, Admission::default()).await.expect("submitted");
        assert!(outcomes.outcomes.iter().all(|outcome| *outcome == runlane::store::SubmitOutcome::Created));
    }
    requests.iter().map(|request| request.id).collect()
}

pub(super) async fn read(store: &dyn Store, ids: &[RunId]) -> BTreeMap<RunId, Run> {
    let mut runs = BTreeMap::new();
    for id in ids {
        if let Ok(Some(run)) = store.run(&WorkspaceName::default(), *id).await {
            runs.insert(*id, run);
        }
    }
    runs
}

/// Waits until every run has ended well; panics with those that have not.
pub(super) async fn until_ended(store: &dyn Store, ids: &[RunId], patience: Duration) {
    wait(store, ids, patience, |run| {
        let wrong = run.error.as_ref().is_some_and(|error| error.code != "lost");
        assert!(!wrong, "the work itself failed: {run:#?}");
    })
    .await;
}

/// Waits until every run has ended, however it did.
pub(super) async fn until_terminal(store: &dyn Store, ids: &[RunId], patience: Duration) {
    wait(store, ids, patience, |_| {}).await;
}

async fn wait(store: &dyn Store, ids: &[RunId], patience: Duration, look: impl Fn(&Run)) {
    let began = Instant::now();
    let mut open: Vec<RunId> = ids.to_vec();
    while !open.is_empty() {
        let found = read(store, &open).await;
        found.values().for_each(&look);
        open.retain(|id| !found.get(id).is_some_and(|run| run.status().is_terminal()));
        if began.elapsed() > patience {
            let some: Vec<&Run> = open.iter().filter_map(|id| found.get(id)).take(3).collect();
            panic!("{} of {} runs have not ended: {some:#?}", open.len(), ids.len());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Everything that must hold once all runs have ended; answers with how many attempts were made in all.
pub(super) async fn judge(store: &dyn Store, yard: &Yard, ids: &[RunId]) -> usize {
    let runs = read(store, ids).await;
    assert_eq!(runs.len(), ids.len(), "nothing acknowledged is lost");
    let effects = yard.effects();
    for (id, run) in &runs {
        assert_eq!(run.status(), Status::Succeeded, "{run:#?}");
        let attempts = store.attempts(&WorkspaceName::default(), *id).await.expect("a read").expect("a run");
        effects.judge(run, &attempts);
    }
    effects.judge_lanes(&runs);
    let left = worker::processes_of(yard.dir.path());
    assert!(left.is_empty(), "processes were left behind: {left:?}");
    effects.begins()
}

pub(super) fn runlane() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_runlane"))
}

/// A small generator of chance: the same seed, the same faults.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new() -> Self {
        let seed = crate::concurrent::seed();
        eprintln!("RUNLANE_SEED={seed}");
        Self(seed | 1)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
