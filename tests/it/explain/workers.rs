//! Which workers could take a run, and what becomes of one whose worker is silent.

use jiff::SignedDuration;
use runlane::run::{Json, NewRun, Priority, QueueName, Status, TaskName};
use runlane::store::{Admission, QueueLimit, Store, WorkerInfo};

use super::{Scene, another, said, tasks};

const START_ANOTHER: &str = "start another: runlane worker --queues default";
const GIVE_TASK: &str =
    "add [tasks.noop] to the runlane.toml of a worker and send it SIGHUP, or start a worker that has the task";

/// What workers there are, and what is said of a run that none of them can take.
#[tokio::test]
async fn without_a_worker_that_can_take_it_a_run_says_what_they_lack() {
    let silent_remedy = format!("look at its log, or {START_ANOTHER}");
    let lacks = || WorkerInfo { tasks: tasks(&["other"]), ..another("mars") };
    let elsewhere = || WorkerInfo { queues: vec![QueueName::parse("other").expect("a name")], ..another("mars") };
    let quick = || WorkerInfo { beat: SignedDuration::from_secs(2), ..another("venus") };
    let leaving = || WorkerInfo { leaving: true, ..another("mars") };
    // The workers that beat at first, how many seconds pass, those that beat then, and what is said.
    let cases = [
        (
            vec![],
            0,
            vec![],
            "no_worker",
            "no worker serves queue default",
            "start one: runlane worker --queues default",
        ),
        (
            vec![],
            0,
            vec![elsewhere()],
            "no_worker",
            "no worker serves queue default",
            "start one: runlane worker --queues default",
        ),
        (
            vec![another("mars")],
            40,
            vec![],
            "workers_silent",
            "the only worker that serves queue default (on mars) has been silent for 40 s",
            silent_remedy.as_str(),
        ),
        (
            vec![another("mars"), quick()],
            90,
            vec![],
            "workers_silent",
            "all 2 workers that serve queue default are silent, the last one for 90 s",
            silent_remedy.as_str(),
        ),
        (
            vec![leaving()],
            12,
            vec![],
            "workers_draining",
            "the only worker that serves queue default (on mars) has been draining for 12 s: no more runs are claimed",
            START_ANOTHER,
        ),
        (
            vec![],
            0,
            vec![leaving(), leaving()],
            "workers_draining",
            "all 2 workers that serve queue default are draining: no more runs are claimed",
            START_ANOTHER,
        ),
        (
            vec![],
            0,
            vec![lacks()],
            "no_worker_for_task",
            "the only worker that serves queue default (on mars) does not have task noop",
            GIVE_TASK,
        ),
        (
            vec![],
            0,
            vec![lacks(), lacks(), elsewhere()],
            "no_worker_for_task",
            "none of the 2 workers that serve queue default has task noop",
            GIVE_TASK,
        ),
        (
            vec![quick(), quick()],
            20,
            vec![leaving(), lacks()],
            "no_worker",
            "no worker can take it: of the 4 that serve queue default, 2 are silent, 1 is draining, \
             1 does not have task noop",
            GIVE_TASK,
        ),
    ];
    for (first, seconds, then, code, message, remedy) in cases {
        let scene = Scene::without_worker().await;
        let id = scene.submit(|_| {}).await;
        for info in first {
            scene.beat(info).await;
        }
        scene.clock.advance(SignedDuration::from_secs(seconds));
        for info in then {
            scene.beat(info).await;
        }
        assert_eq!(scene.reasons(id, &[]).await, said(code, message, remedy));
    }
}

#[tokio::test]
async fn a_worker_that_left_is_not_spoken_of() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    scene.store.leave(scene.taker.worker).await.expect("an answer");
    let expected = said("no_worker", "no worker serves queue default", "start one: runlane worker --queues default");
    assert_eq!(scene.reasons(id, &[]).await, expected);
}

#[tokio::test]
async fn a_run_that_nothing_keeps_is_taken_by_the_next_free_worker() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let explained = scene.explain(id).await;
    assert_eq!((explained.status, explained.reasons.len()), (Status::Queued, 0));
    assert_eq!(explained.summary, "nothing keeps it from starting: the next free worker takes it");
}

#[tokio::test]
async fn a_run_that_waits_for_a_slot_says_how_many_there_are_and_who_is_before_it() {
    let scene = Scene::new().await;
    for _ in 0..2 {
        scene.submit(|_| {}).await;
        scene.claim().await;
        scene.clock.advance(SignedDuration::from_secs(3));
    }
    let id = scene.submit(|_| {}).await;
    let remedy = "it starts once a slot is free; more workers or slots start it sooner";
    // The heartbeat is older than the claims: the leases say what is busy.
    let message = "2 of 2 slots of the worker that can take it are busy, the longest for 6 s; it is next";
    assert_eq!(scene.reasons(id, &[]).await, said("workers_busy", message, remedy));
    scene.submit(|run| run.priority = Priority::new(1).expect("a priority")).await;
    scene.submit(|run| run.priority = Priority::new(-1).expect("a priority")).await;
    // What its leases do not know of, such as work that does not stop, the worker says itself.
    scene.beat(WorkerInfo { busy: 2, ..another("venus") }).await;
    let message = "4 of 4 slots of the 2 workers that can take it are busy, the longest for 6 s; 1 run is ahead of it";
    assert_eq!(scene.reasons(id, &[]).await, said("workers_busy", message, remedy));
    scene.beat(another("earth")).await;
    let explained = scene.explain(id).await;
    assert_eq!(explained.reasons, []);
    assert_eq!(explained.summary, "nothing keeps it from starting: its turn comes when 1 run ahead of it has started");
}

#[tokio::test]
async fn more_than_a_thousand_runs_ahead_are_not_counted() {
    let scene = Scene::without_worker().await;
    scene.beat(WorkerInfo { busy: 1, ..scene.worker(1) }).await;
    let request = || NewRun::of(TaskName::parse("noop").expect("a name"), Json::null());
    let many: Vec<NewRun> = (0..1200).map(|_| request()).collect();
    scene.store.submit(&many, Admission::default()).await.expect("submitted");
    let id = scene.submit(|_| {}).await;
    let message = "1 of 1 slots of the worker that can take it are busy; 1000 or more runs are ahead of it";
    assert_eq!(scene.reasons(id, &[]).await[0].1, message);
}

#[tokio::test]
async fn a_run_behind_a_workers_own_limit_says_so() {
    let scene = Scene::without_worker().await;
    let limited = |info: WorkerInfo, busy| {
        let limits = vec![QueueLimit { queue: QueueName::default(), concurrency: 1, busy }];
        WorkerInfo { limits, queues: vec![QueueName::default()], ..info }
    };
    scene.beat(limited(scene.worker(4), 0)).await;
    scene.submit(|_| {}).await;
    scene.claim().await;
    let id = scene.submit(|_| {}).await;
    let remedy = "it starts as they end; a higher limit in the worker's `queues` starts it sooner: default:N";
    let message = "the worker that can take it executes 1 of at most 1 runs of queue default; it is next";
    assert_eq!(scene.reasons(id, &[]).await, said("worker_limit", message, remedy));
    scene.beat(limited(another("venus"), 1)).await;
    let message = "the 2 workers that can take it are at their own limits for queue default; it is next";
    assert_eq!(scene.reasons(id, &[]).await, said("worker_limit", message, remedy));
    scene.beat(limited(another("earth"), 0)).await;
    assert_eq!(scene.reasons(id, &[]).await, []);
}

#[tokio::test]
async fn a_running_run_whose_worker_is_silent_says_when_its_lease_runs_out() {
    let scene = Scene::without_worker().await;
    scene.beat(WorkerInfo { beat: SignedDuration::from_secs(2), ..scene.worker(2) }).await;
    let id = scene.submit(|_| {}).await;
    scene.claim().await;
    scene.clock.advance(SignedDuration::from_secs(9));
    assert_eq!(scene.reasons(id, &[]).await, [], "two heartbeats late is not yet silent");
    scene.clock.advance(SignedDuration::from_secs(6));
    let taken_over = "a worker on mars takes it over at once, one on another machine after the takeover delay";
    let message = "its worker on mars has been silent for 15 s; the lease runs out at 12:00:30 UTC, in 15 s";
    let remedy = format!("the attempt goes on if the worker comes back by then; otherwise {taken_over}");
    assert_eq!(scene.reasons(id, &[]).await, said("lease_running_out", message, &remedy));
    scene.clock.advance(SignedDuration::from_secs(17));
    let message = "its worker on mars has been silent for 32 s; the lease ran out 2 s ago";
    assert_eq!(scene.reasons(id, &[]).await, said("lease_running_out", message, taken_over));
}

#[tokio::test]
async fn a_run_whose_worker_is_gone_says_who_may_adopt_it() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    scene.claim().await;
    assert_eq!(scene.explain(id).await.summary, "attempt 1 has been running on mars for 0 s");
    scene.clock.advance(SignedDuration::from_secs(40));
    scene.store.reap(10).await.expect("reaped");
    let expected = said(
        "orphaned",
        "its worker on mars stopped renewing its lease 10 s ago",
        "a worker on mars takes it over at once, one on another machine after the takeover delay",
    );
    assert_eq!(scene.reasons(id, &[]).await, expected);
}
