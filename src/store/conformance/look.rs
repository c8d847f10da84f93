//! Reading, as a sentence says it, and a look at everything there is.

use super::builders::{lane, queue};
use super::harness::{Bench, home};
use crate::run::{Attempt, BlockedBy, Run, RunId, Status, WorkspaceName};
use crate::store::{Count, Event, Lane, LanePolicy, Page, Queue, QueueChange, QueueSettings, RunFilter, Worker};

/// Everything that anybody can see in a store: equal before and after whatever changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Everything {
    workspaces: Vec<OneWorkspace>,
    workers: Vec<Worker>,
    counts: Vec<Count>,
}

#[derive(Clone, Debug, PartialEq)]
struct OneWorkspace {
    name: WorkspaceName,
    runs: Vec<OneRun>,
    lanes: Vec<Lane>,
    queues: Vec<Queue>,
}

#[derive(Clone, Debug, PartialEq)]
struct OneRun {
    run: Run,
    attempts: Option<Vec<Attempt>>,
    waits: Option<Vec<RunId>>,
    events: Option<Vec<Event>>,
}

impl Bench {
    pub(super) async fn everything(&self) -> Everything {
        let mut workspaces = Vec::new();
        for name in self.store.workspaces().await.expect("workspaces answers") {
            workspaces.push(self.one_workspace(name).await);
        }
        let mut counts = self.counts().await;
        counts.sort_by_key(|count| (count.workspace.clone(), count.queue.clone(), count.status));
        Everything { workspaces, workers: self.store.workers().await.expect("workers answers"), counts }
    }

    async fn one_workspace(&self, name: WorkspaceName) -> OneWorkspace {
        let mut runs = Vec::new();
        for mut run in self.runs_of(&name, RunFilter::default()).await {
            // A store's own notes, which say nothing to anybody else.
            (run.awaited, run.revision) = (false, 0);
            runs.push(OneRun {
                attempts: self.store.attempts(&name, run.id).await.expect("attempts answers"),
                waits: self.store.waits(&name, run.id).await.expect("waits answers"),
                events: self.store.events(&name, run.id, 0, 1000).await.expect("events answers"),
                run,
            });
        }
        let lanes = self.store.lanes(&name, None, &Page::first(1000)).await.expect("lanes answers").data;
        let queues = self.store.queues(&name).await.expect("queues answers");
        OneWorkspace { name, runs, lanes, queues }
    }

    pub(super) async fn find(&self, run: RunId) -> Option<Run> {
        self.store.run(&home(), run).await.expect("run answers")
    }

    pub(super) async fn run(&self, run: RunId) -> Run {
        self.find(run).await.expect("the run exists")
    }

    pub(super) async fn status(&self, run: RunId) -> Status {
        self.run(run).await.status()
    }

    pub(super) async fn statuses(&self, runs: &[RunId]) -> Vec<Status> {
        let mut statuses = Vec::new();
        for run in runs {
            statuses.push(self.status(*run).await);
        }
        statuses
    }

    pub(super) async fn blocked_by(&self, run: RunId) -> Option<BlockedBy> {
        self.run(run).await.blocked_by()
    }

    pub(super) async fn is_ready(&self, run: RunId) -> bool {
        self.run(run).await.is_ready()
    }

    /// The code of its error.
    pub(super) async fn error_code(&self, run: RunId) -> Option<String> {
        self.run(run).await.error.map(|error| error.code)
    }

    pub(super) async fn attempts(&self, run: RunId) -> Vec<Attempt> {
        self.store.attempts(&home(), run).await.expect("attempts answers").expect("the run exists")
    }

    pub(super) async fn waits(&self, run: RunId) -> Vec<RunId> {
        let mut waits = self.store.waits(&home(), run).await.expect("waits answers").expect("the run exists");
        waits.sort();
        waits
    }

    pub(super) async fn events(&self, run: RunId) -> Vec<Event> {
        self.events_after(run, 0, 1000).await
    }

    pub(super) async fn events_after(&self, run: RunId, after: i64, limit: usize) -> Vec<Event> {
        self.store.events(&home(), run, after, limit).await.expect("events answers").expect("the run exists")
    }

    /// All runs of the default workspace that the filter lets through, newest first.
    pub(super) async fn list(&self, filter: RunFilter) -> Vec<RunId> {
        self.runs_of(&home(), filter).await.iter().map(|run| run.id).collect()
    }

    pub(super) async fn runs_of(&self, workspace: &WorkspaceName, filter: RunFilter) -> Vec<Run> {
        self.store.runs(workspace, &filter, &Page::first(1000)).await.expect("runs answers").data
    }

    pub(super) async fn lane(&self, name: &str) -> Option<Lane> {
        let listed = self.store.lanes(&home(), None, &Page::first(1000)).await.expect("lanes answers");
        listed.data.into_iter().find(|found| found.name == lane(name))
    }

    /// The runs that hold a lane.
    pub(super) async fn held_by(&self, name: &str) -> Vec<RunId> {
        self.lane(name).await.map(|lane| lane.held_by).unwrap_or_default()
    }

    pub(super) async fn lane_holds(&self, name: &str) {
        self.set_lane_policy(name, LanePolicy::Hold).await;
    }

    pub(super) async fn set_lane_policy(&self, name: &str, policy: LanePolicy) {
        self.store.set_lane_policy(&home(), &lane(name), policy).await.expect("set_lane_policy answers");
    }

    pub(super) async fn release_lane(&self, name: &str) -> usize {
        self.store.release_lane(&home(), &lane(name)).await.expect("release_lane answers")
    }

    pub(super) async fn queue(&self, name: &str) -> Option<Queue> {
        let queues = self.store.queues(&home()).await.expect("queues answers");
        queues.into_iter().find(|found| found.name == queue(name))
    }

    pub(super) async fn set_queue(&self, name: &str, change: QueueChange) -> QueueSettings {
        let settings = self.store.set_queue(&home(), &queue(name), change).await.expect("set_queue answers");
        settings.expect("the workspace is known")
    }

    pub(super) async fn pause_queue(&self, name: &str) {
        self.set_queue(name, QueueChange { paused: Some(true), concurrency: None }).await;
    }

    pub(super) async fn resume_queue(&self, name: &str) {
        self.set_queue(name, QueueChange { paused: Some(false), concurrency: None }).await;
    }

    pub(super) async fn limit_queue(&self, name: &str, limit: u32) {
        self.set_queue(name, QueueChange { paused: None, concurrency: Some(Some(limit)) }).await;
    }

    pub(super) async fn counts(&self) -> Vec<Count> {
        self.store.counts().await.expect("counts answers")
    }
}
