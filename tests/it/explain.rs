//! Why a run is not starting: each reason, in the words people get.

use jiff::{SignedDuration, Timestamp};
use runlane::actions::{Explanation, explain_run};
use runlane::clock::{Clock, ManualClock};
use runlane::run::lifecycle::{Command, Outcome, Retry, Taker};
use runlane::run::{
    Due, HostName, Jitter, Json, LaneName, NewRun, QueueName, RunError, RunId, Status, TaskName, WorkerId,
    WorkspaceName,
};
use runlane::store::memory::MemoryStore;
use runlane::store::{
    Admission, ClaimRequest, Finish, LanePolicy, Lease, QueueChange, Store, SubmitOutcome, WorkerInfo,
};

struct Scene {
    store: MemoryStore,
    clock: ManualClock,
    taker: Taker,
}

impl Scene {
    /// With a worker that serves every queue and has nothing to do.
    async fn new() -> Self {
        let scene = Self::without_worker();
        scene.worker(vec![], 2, 0).await;
        scene
    }

    fn without_worker() -> Self {
        let clock = ManualClock::starting_at("2026-11-16T12:00:00Z".parse::<Timestamp>().expect("a time"));
        let taker = Taker { worker: WorkerId::new(), host: HostName::parse("mars").expect("a name") };
        Self { store: MemoryStore::new(Clock::Manual(clock.clone())), clock, taker }
    }

    async fn worker(&self, queues: Vec<QueueName>, slots: u32, busy: u32) {
        let info = WorkerInfo { queues, busy, ..WorkerInfo::new(self.taker.worker, self.taker.host.clone(), slots) };
        self.store.heartbeat(&info).await.expect("a heartbeat");
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
        let request = ClaimRequest {
            taker: self.taker.clone(),
            queues: vec![],
            capacity: 1,
            lease_ttl: SignedDuration::from_secs(30),
            takeover_delay: SignedDuration::from_secs(60),
            last_turn: None,
        };
        let claim = self.store.claim(&request).await.expect("a claim");
        claim.runs.iter().map(|claimed| claimed.lease()).collect()
    }

    async fn fail(&self, lease: Lease, retry: Retry) {
        let outcome = Outcome::Failed { error: RunError::new("boom", "it broke"), retry };
        self.store.finish(&[Finish { lease, outcome, jitter: Jitter(0) }]).await.expect("finished");
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
    assert_eq!(scene.reasons(id, &[]).await, said("held", "it was submitted to be held", "enqueue it"));
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
    let expected = said("due_later", "it is due in 5 min, at 2026-11-16T12:05:00Z", "time");
    assert_eq!(scene.reasons(id, &[]).await, expected);
}

#[tokio::test]
async fn a_retrying_run_says_what_failed_and_when_it_is_tried_again() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::After(SignedDuration::from_secs(90))).await;
    let message = "attempt 1 failed (boom: it broke); the next one is due in 90 s, at 2026-11-16T12:01:30Z";
    assert_eq!(scene.reasons(id, &[]).await, said("retry_wait", message, "time"));
}

#[tokio::test]
async fn a_postponed_run_says_that_its_work_asked_for_it_and_how_often() {
    let scene = Scene::new().await;
    let id = scene.submit(|_| {}).await;
    let lease = scene.claim().await[0];
    scene.fail(lease, Retry::Later(Some(SignedDuration::from_secs(90)))).await;
    let message = "its work asked to be tried later (boom: it broke), which is in 90 s, at 2026-11-16T12:01:30Z; \
                   postponed 1 of 100 times";
    assert_eq!(scene.reasons(id, &[]).await, said("postponed", message, "time"));
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
        "run A succeeding; if it ends otherwise, this run fails",
    );
    expected.extend(said(
        "upstream",
        "it waits for run B, which is pending",
        "run B succeeding; if it ends otherwise, this run fails",
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
    let expected = said("lane_busy", "lane customer-42 is busy with run A", "the end of run A");
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
    scene.worker(vec![], 2, 0).await;
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
    let remedy = "the end of one of them, or a higher limit";
    let expected = said("queue_full", "queue default has 1 of 1 runs running", remedy);
    assert_eq!(scene.reasons(id, &[]).await, expected);
    let pause = QueueChange { paused: Some(true), concurrency: None };
    scene.store.set_queue(&workspace, &queue, pause).await.expect("set");
    let expected = said("queue_paused", "queue default is paused", "resume queue default");
    assert_eq!(scene.reasons(id, &[]).await, expected);
}

#[tokio::test]
async fn without_a_worker_for_its_queue_or_with_busy_ones_it_says_so() {
    let scene = Scene::without_worker();
    let id = scene.submit(|_| {}).await;
    let expected = said("no_worker", "no worker serves queue default", "start one: runlane worker --queues default");
    assert_eq!(scene.reasons(id, &[]).await, expected);
    scene.worker(vec![QueueName::parse("other").expect("a name")], 2, 0).await;
    assert_eq!(scene.reasons(id, &[]).await, expected, "one that serves another queue does not help");
    scene.worker(vec![], 2, 2).await;
    let message = "2 of 2 slots of the workers that serve queue default are busy";
    assert_eq!(
        scene.reasons(id, &[]).await,
        said("workers_busy", message, "the end of a run, or more workers or slots")
    );
    scene.clock.advance(SignedDuration::from_mins(2));
    assert_eq!(scene.reasons(id, &[]).await, expected, "one that fell silent does not either");
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
        "a worker on mars adopts it at once, one on another machine after the takeover delay",
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
