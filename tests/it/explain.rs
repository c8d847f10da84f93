//! Why a run is not starting: each reason, in the words people get.

use jiff::{SignedDuration, Timestamp};
use runlane::actions::{Explanation, explain_run};
use runlane::clock::{Clock, ManualClock};
use runlane::run::lifecycle::{Command, Outcome, Retry, Taker};
use runlane::run::{
    Due, HostName, Json, LaneName, NewRun, Priority, QueueName, RunError, RunId, Status, TaskName, WorkerId,
    WorkspaceName,
};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{
    Admission, ClaimRequest, Finish, LanePolicy, Lease, QueueChange, QueueLimit, Store, SubmitOutcome, WorkerInfo,
};

struct Scene {
    store: SqliteStore,
    clock: ManualClock,
    taker: Taker,
    _folder: tempfile::TempDir,
}

impl Scene {
    /// With a worker that serves every queue and has nothing to do.
    async fn new() -> Self {
        let scene = Self::without_worker().await;
        scene.beat(scene.worker(2)).await;
        scene
    }

    async fn without_worker() -> Self {
        let clock = ManualClock::starting_at("2026-11-16T12:00:00Z".parse::<Timestamp>().expect("a time"));
        let taker = Taker { worker: WorkerId::new(), host: HostName::parse("mars").expect("a name") };
        let folder = tempfile::tempdir().expect("a folder");
        let opened = SqliteStore::open_and_migrate(folder.path().join("runs.db"), Clock::Manual(clock.clone())).await;
        Self { store: opened.expect("a store"), clock, taker, _folder: folder }
    }

    /// The worker that claims, with so many slots.
    fn worker(&self, slots: u32) -> WorkerInfo {
        WorkerInfo { tasks: tasks(&["noop"]), ..WorkerInfo::new(self.taker.worker, self.taker.host.clone(), slots) }
    }

    async fn beat(&self, info: WorkerInfo) -> WorkerId {
        self.store.heartbeat(&info).await.expect("a heartbeat");
        info.id
    }

    async fn submit(&self, change: impl FnOnce(&mut NewRun)) -> RunId {
        let mut request = NewRun::of(TaskName::parse("noop").expect("a name"), Json::null());
        change(&mut request);
        let id = request.id;
        let outcome = self.store.submit(&[request], Admission::default()).await.expect("submitted");
        assert_eq!(outcome, [SubmitOutcome::Created]);
        id
    }

    async fn claim(&self) -> Vec<Lease> {
        let request = ClaimRequest::of(self.taker.clone(), 1);
        let claim = self.store.claim(&request).await.expect("a claim");
        claim.runs.iter().map(|claimed| claimed.lease()).collect()
    }

    async fn fail(&self, lease: Lease, retry: Retry) {
        let outcome = Outcome::Failed { error: RunError::new("boom", "it broke"), retry };
        self.store.finish(&[Finish::of(lease, outcome)]).await.expect("finished");
    }

    async fn command(&self, id: RunId, command: Command) {
        let workspace = WorkspaceName::default();
        self.store.command(&workspace, &[id], command, Admission::default()).await.expect("an answer");
    }

    async fn explain(&self, id: RunId) -> Explanation {
        let explained = explain_run(&self.store, &WorkspaceName::default(), id, self.clock.now()).await;
        explained.expect("a read").expect("a run")
    }

    /// Code, message and remedy of each reason, the ids of runs replaced by names.
    async fn reasons(&self, id: RunId, names: &[(RunId, &str)]) -> Vec<(String, String, String)> {
        let named = |text: &str| names.iter().fold(text.to_owned(), |t, (id, name)| t.replace(&id.to_string(), name));
        let explained = self.explain(id).await;
        explained.reasons.iter().map(|r| (r.code.clone(), named(&r.message), named(&r.remedy))).collect()
    }
}

fn said(code: &str, message: &str, remedy: &str) -> Vec<(String, String, String)> {
    vec![(code.into(), message.into(), remedy.into())]
}

fn tasks(names: &[&str]) -> Option<Vec<TaskName>> {
    Some(names.iter().map(|name| TaskName::parse(*name).expect("a name")).collect())
}

/// Another worker than the one that claims.
fn another(host: &str) -> WorkerInfo {
    WorkerInfo::new(WorkerId::new(), HostName::parse(host).expect("a name"), 2)
}

fn lane() -> Option<LaneName> {
    LaneName::parse("customer-42").ok()
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
async fn a_held_run_waits_to_be_enqueued() {
    let scene = Scene::new().await;
    let id = scene.submit(|run| run.hold = true).await;
    assert_eq!(scene.reasons(id, &[]).await, said("held", "it was submitted on hold", "enqueue it"));
}

#[tokio::test]
async fn a_paused_run_waits_to_be_resumed() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    scene.command(id, Command::Pause).await;
    assert_eq!(scene.reasons(id, &[]).await, said("paused", "it is paused", "resume it, or cancel it"));
}

#[tokio::test]
async fn a_run_that_is_due_later_says_when() {
    let scene = Scene::new().await;
    let id = scene.submit(|run| run.due = Due::After(SignedDuration::from_mins(5))).await;
    let expected = said("due_later", "it is due at 12:05 UTC", "starts at 12:05 UTC, in 5 min");
    assert_eq!(scene.reasons(id, &[]).await, expected);
    let tomorrow = scene.submit(|run| run.due = Due::After(SignedDuration::from_hours(20))).await;
    let remedy = "starts at 2026-11-17 08:00 UTC, in 20 h";
    assert_eq!(scene.reasons(tomorrow, &[]).await, said("due_later", "it is due at 2026-11-17 08:00 UTC", remedy));
}

#[tokio::test]
async fn a_retrying_run_says_what_failed_and_when_it_is_tried_again() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::After(SignedDuration::from_secs(90))).await;
    let message = "attempt 1 failed (boom: it broke); the next one is due at 12:01:30 UTC";
    let remedy = "starts at 12:01:30 UTC, in 90 s";
    assert_eq!(scene.reasons(id, &[]).await, said("retry_wait", message, remedy));
}

#[tokio::test]
async fn a_postponed_run_says_that_its_work_asked_for_it_and_how_often() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::Later(Some(SignedDuration::from_secs(90)))).await;
    let message = "its work asked to be tried later (boom: it broke); that was 1 of 100 times";
    let remedy = "starts at 12:01:30 UTC, in 90 s";
    assert_eq!(scene.reasons(id, &[]).await, said("postponed", message, remedy));
}

#[tokio::test]
async fn a_run_that_waits_for_others_names_each() {
    let scene = Scene::new().await;
    let (first, second) = (scene.submit(|_| {}).await, scene.submit(|run| run.hold = true).await);
    let id = scene.submit(|run| run.after = vec![first, second]).await;
    let names = [(first, "A"), (second, "B")];
    let mut expected = said(
        "upstream",
        "it waits for run A, which is queued",
        "it starts once run A has succeeded; if that ends otherwise, this run fails",
    );
    expected.extend(said(
        "upstream",
        "it waits for run B, which is pending",
        "it starts once run B has succeeded; if that ends otherwise, this run fails",
    ));
    assert_eq!(scene.reasons(id, &names).await, expected);
    assert!(scene.explain(id).await.summary.ends_with(", and 1 more"));
}

#[tokio::test]
async fn a_run_behind_a_busy_lane_names_who_is_in_it() {
    let scene = Scene::new().await;
    let first = scene.submit(|run| run.lane = lane()).await;
    scene.claim().await;
    let id = scene.submit(|run| run.lane = lane()).await;
    let expected = said("lane_busy", "lane customer-42 is busy with run A", "its turn comes after run A has ended");
    assert_eq!(scene.reasons(id, &[(first, "A")]).await, expected);
}

#[tokio::test]
async fn a_run_behind_a_held_lane_names_who_holds_it_and_since_when() {
    let scene = Scene::new().await;
    let workspace = WorkspaceName::default();
    let name = lane().expect("a name");
    scene.store.set_lane_policy(&workspace, &name, LanePolicy::Hold).await.expect("set");
    let first = scene.submit(|run| run.lane = lane()).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::Never).await;
    let id = scene.submit(|run| run.lane = lane()).await;
    scene.clock.advance(SignedDuration::from_mins(3));
    scene.beat(scene.worker(2)).await;
    let expected = said(
        "lane_held",
        "lane customer-42 is held by run A, failed 3 min ago",
        "resume or dismiss run A, or release the lane",
    );
    assert_eq!(scene.reasons(id, &[(first, "A")]).await, expected);
}

#[tokio::test]
async fn a_run_behind_others_of_its_lane_waits_for_its_turn() {
    let scene = Scene::new().await;
    scene.submit(|run| run.lane = lane()).await;
    let id = scene.submit(|run| run.lane = lane()).await;
    let reasons = scene.reasons(id, &[]).await;
    assert_eq!(reasons[0].0, "lane_turn");
    assert_eq!(reasons[0].1, "2 runs wait in lane customer-42, and others are before it");
}

#[tokio::test]
async fn a_paused_queue_and_a_full_one_say_so() {
    let scene = Scene::new().await;
    let (workspace, queue) = (WorkspaceName::default(), QueueName::default());
    scene.submit(|_| {}).await;
    scene.claim().await;
    let id = scene.submit(|_| {}).await;
    let limit = QueueChange { paused: None, concurrency: Some(Some(1)) };
    scene.store.set_queue(&workspace, &queue, limit).await.expect("set");
    scene.submit(|run| run.priority = Priority::new(5).expect("a priority")).await;
    scene.clock.advance(SignedDuration::from_mins(3));
    scene.beat(scene.worker(2)).await;
    let message = "queue default has 1 of at most 1 runs running, the longest for 3 min; 1 run is ahead of it";
    let remedy = "it starts as they end; a higher limit starts it sooner: runlane queues limit default N";
    assert_eq!(scene.reasons(id, &[]).await, said("queue_full", message, remedy));
    let pause = QueueChange { paused: Some(true), concurrency: None };
    scene.store.set_queue(&workspace, &queue, pause).await.expect("set");
    let expected = said("queue_paused", "queue default is paused", "resume it: runlane queues resume default");
    assert_eq!(scene.reasons(id, &[]).await, expected);
}

#[tokio::test]
async fn a_queue_with_a_limit_of_zero_says_so() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let limit = QueueChange { paused: None, concurrency: Some(Some(0)) };
    scene.store.set_queue(&WorkspaceName::default(), &QueueName::default(), limit).await.expect("set");
    let message = "queue default has a limit of 0: none of its runs starts";
    let remedy = "raise the limit or lift it: runlane queues limit default none";
    assert_eq!(scene.reasons(id, &[]).await, said("queue_limit_zero", message, remedy));
}

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

#[tokio::test]
async fn a_finished_run_says_how_it_ended_and_an_unknown_one_nothing() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::Never).await;
    scene.clock.advance(SignedDuration::from_secs(5));
    assert_eq!(scene.explain(id).await.summary, "it failed 5 s ago: it broke (boom)");
    let unknown = explain_run(&scene.store, &WorkspaceName::default(), RunId::new(), scene.clock.now()).await;
    assert_eq!(unknown.expect("a read"), None);
}
