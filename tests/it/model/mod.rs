//! Plays random sequences of operations on a store and on the reference model, and compares all that can be seen.

mod op;
mod play;
mod schedules;
mod snapshot;

use std::sync::Arc;

use jiff::Timestamp;
use proptest::test_runner::{Config, FileFailurePersistence, TestCaseError, TestError, TestRunner};
use runlane::clock::{Clock, ManualClock};
use runlane::store::memory::MemoryStore;
use runlane::store::{Result, Store};

use op::Op;
use play::{Act, World, play, workspace};
use snapshot::{Details, Snapshot};

/// How many sequences to play: `RUNLANE_MODEL_CASES`, or 64.
pub(crate) fn cases() -> u32 {
    std::env::var("RUNLANE_MODEL_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(64)
}

/// Compares the stores that `make` makes with the reference model, over `cases` sequences of up to `steps`
/// operations. Each sequence needs an empty store that follows the clock it is given.
///
/// # Panics
/// When a store and the model differ: with the shortest sequence found that shows it.
pub(crate) fn compare_with_model<F>(make: impl Fn(ManualClock) -> F, cases: u32, steps: usize)
where
    F: Future<Output = Arc<dyn Store>>,
{
    let regressions = FileFailurePersistence::Direct("tests/it/model/regressions.txt");
    let config = Config { cases, failure_persistence: Some(Box::new(regressions)), ..Config::default() };
    if let Some(difference) = difference(make, config, steps) {
        panic!("{difference}");
    }
}

/// The shortest sequence found after which a store differs from the model, and how.
pub(crate) fn difference<F>(make: impl Fn(ManualClock) -> F, config: Config, steps: usize) -> Option<String>
where
    F: Future<Output = Arc<dyn Store>>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime can be made");
    let config = Config { max_shrink_iters: 4_000, max_shrink_time: 120_000, ..config };
    let result = TestRunner::new(config).run(&proptest::collection::vec(op::op(), 1..=steps), |ops| {
        runtime.block_on(async {
            let clock = ManualClock::starting_at(Timestamp::UNIX_EPOCH);
            clock.advance(jiff::SignedDuration::from_hours(24 * 365 * 55));
            let store = make(clock.clone()).await;
            compare(&*store, &clock, &ops).await.map_err(TestCaseError::fail)
        })
    });
    match result {
        Ok(()) => None,
        Err(TestError::Fail(reason, ops)) => Some(format!("{}\n{reason}", shown(&ops))),
        Err(TestError::Abort(reason)) => Some(reason.to_string()),
    }
}

fn shown(ops: &[Op]) -> String {
    let lines: Vec<String> = ops.iter().enumerate().map(|(at, op)| format!("{:3}. {op:?}", at + 1)).collect();
    format!("the store differs from the model after:\n{}", lines.join("\n"))
}

/// Plays the operations on both; says where and how they part.
async fn compare(store: &dyn Store, clock: &ManualClock, ops: &[Op]) -> std::result::Result<(), String> {
    let model = MemoryStore::new(Clock::Manual(clock.clone()));
    let mut world = World::new();
    let mut before = Snapshot::default();
    for each in [store, &model as &dyn Store] {
        trusted(each.create_workspace(&workspace(1)).await)?;
    }
    let (mut hint, mut expected_hint) = (store.ready_signal(), model.ready_signal());
    for (at, op) in ops.iter().enumerate() {
        let place = |what: &str| format!("step {}: {what}", at + 1);
        let act = world.resolve(op);
        if let Act::Pass(time) = act {
            clock.advance(time);
        }
        world.now = clock.now();
        let expected = trusted(play(&model, &world, &act).await)?;
        let answer = play(store, &world, &act).await.map_err(|error| place(&format!("the store failed: {error:?}")))?;
        differ(&place("answers"), &expected.shown, &answer.shown)?;
        // The model tells of what it made ready and of nothing else; a store may tell more often, but not less.
        let (told, expected_told) = (hint.take(), expected_hint.take());
        if expected_told && !told {
            return Err(place("something became ready, and nobody was told"));
        }
        if let Some(claim) = &expected.claim {
            world.learn(claim);
        }
        let now = trusted(Snapshot::of(&model).await)?;
        same(&place("what is there"), &now, &trusted(Snapshot::of(store).await)?)?;
        let changed = now.changed_since(&before);
        world.notice(&changed);
        details(&place("details"), &model, store, changed).await?;
        before = now;
    }
    details("in the end", &model, store, world.runs.clone()).await
}

async fn details(
    place: &str,
    model: &dyn Store,
    store: &dyn Store,
    runs: Vec<(runlane::run::WorkspaceName, runlane::run::RunId)>,
) -> std::result::Result<(), String> {
    for (workspace, run) in runs {
        let expected = trusted(Details::of(model, &workspace, run).await)?;
        same(&format!("{place} of run {run}"), &expected, &trusted(Details::of(store, &workspace, run).await)?)?;
    }
    Ok(())
}

fn trusted<T>(result: Result<T>) -> std::result::Result<T, String> {
    result.map_err(|error| format!("a read failed: {error:?}"))
}

fn same<T: std::fmt::Debug + PartialEq>(place: &str, model: &T, store: &T) -> std::result::Result<(), String> {
    if model == store { Ok(()) } else { differ(place, &format!("{model:#?}"), &format!("{store:#?}")) }
}

/// Shows only the lines that differ: what the model says with `-`, what the store says with `+`.
fn differ(place: &str, model: &str, store: &str) -> std::result::Result<(), String> {
    if model == store {
        return Ok(());
    }
    let (ours, theirs): (Vec<&str>, Vec<&str>) = (model.lines().collect(), store.lines().collect());
    let head = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    let rest = (ours.len().min(theirs.len())) - head;
    let tail = ours.iter().rev().zip(theirs.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let context = ours[head.saturating_sub(6)..head].iter().map(|line| format!("  {line}"));
    let gone = ours[head..ours.len() - tail].iter().map(|line| format!("- {line}"));
    let come = theirs[head..theirs.len() - tail].iter().map(|line| format!("+ {line}"));
    let lines: Vec<String> = context.chain(gone.take(40)).chain(come.take(40)).collect();
    Err(format!("{place} (- model, + store):\n{}", lines.join("\n")))
}
