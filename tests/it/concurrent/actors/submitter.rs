//! Submits runs of every kind, some of them twice.

use std::num::{NonZeroU16, NonZeroU32};
use std::sync::Arc;

use jiff::SignedDuration;
use runlane::run::{
    Due, Idempotency, IdempotencyKey, Json, KeyMode, LaneName, NewRun, Priority, RetryPolicy, RunId, RunKey, TaskName,
};
use runlane::store::{Store, SubmitOutcome};

use super::dice::Dice;
use super::world::{World, pause, queues, workspaces};

pub(super) async fn submit_all(store: Arc<dyn Store>, world: Arc<World>, at: usize, mut dice: Dice) {
    for batch in 0..world.size.batches {
        let count = 1 + dice.below(4);
        let mut runs: Vec<NewRun> = Vec::new();
        for place in 0..count {
            let mut run = any_run(&mut dice, &world);
            if dice.one_in(4) {
                // Two submitters share the key, so that they race for it.
                run.idempotency = Some(once(&format!("{}-{batch}-{place}", at / 2)));
            }
            if let Some(earlier) = runs.last().filter(|earlier| dice.one_in(12) && earlier.workspace == run.workspace) {
                run.after.push(earlier.id);
            }
            runs.push(run);
        }
        let Ok(outcomes) = store.submit(&runs, world.admission()).await else { continue };
        for (run, outcome) in runs.iter().zip(outcomes) {
            if outcome == SubmitOutcome::Created {
                world.learn(&run.workspace, run.id);
            }
        }
        pause(&mut dice, 30).await;
    }
}

fn any_run(dice: &mut Dice, world: &World) -> NewRun {
    let mut run = NewRun::of(TaskName::parse("work").expect("a good name"), Json::null());
    run.id = RunId::new();
    run.workspace = workspaces()[dice.below(2) as usize].clone();
    run.queue = queues()[dice.below(3) as usize].clone();
    run.max_attempts = NonZeroU16::MIN.saturating_add(dice.below(3) as u16);
    run.retry = Some(RetryPolicy { base_ms: 2, factor: 2, cap_ms: 30 });
    if dice.one_in(2) {
        run.lane = Some(LaneName::parse(["a", "b", "c"][dice.below(3) as usize]).expect("a good name"));
    }
    if dice.one_in(6) {
        run.priority = Priority::new(dice.below(3) as i16 * 10).expect("in range");
    }
    if dice.one_in(8) {
        run.due = Due::After(SignedDuration::from_millis(dice.below(80) as i64));
    }
    if dice.one_in(8) {
        run.timeout_seconds = Some(NonZeroU32::MIN);
    }
    if dice.one_in(8) {
        run.key = Some(any_key(dice));
    }
    if dice.one_in(15) {
        run.after.extend(world.recent(dice).filter(|(workspace, _)| *workspace == run.workspace).map(|(_, id)| id));
    }
    run.hold = dice.one_in(20);
    run
}

/// One key only ever keeps, so that what it promises can be judged; the other is fought over.
fn any_key(dice: &mut Dice) -> (RunKey, KeyMode) {
    let key = |name: &str| RunKey::parse(name).expect("a good name");
    match dice.below(4) {
        0 => (key("fought-over"), KeyMode::Replace),
        1 => (key("fought-over"), KeyMode::PreserveAvailableAt),
        _ => (key("kept"), KeyMode::Keep),
    }
}

fn once(key: &str) -> Idempotency {
    Idempotency {
        key: IdempotencyKey::parse(key).expect("a good name"),
        fingerprint: key.as_bytes().to_vec(),
        ttl: SignedDuration::from_hours(24),
    }
}
