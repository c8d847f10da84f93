//! Why a run is not starting: each reason, in the words people get.

mod queue;
mod run;
mod workers;

use jiff::Timestamp;
use runlane::actions::{Explanation, explain_run};
use runlane::clock::{Clock, ManualClock};
use runlane::run::lifecycle::{Command, Outcome, Retry, Taker};
use runlane::run::{HostName, Json, LaneName, NewRun, RunError, RunId, TaskName, WorkerId, WorkspaceName};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Admission, ClaimRequest, Finish, Lease, Store, SubmitOutcome, WorkerInfo};

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
