//! Everything that the reads of a store show, made comparable.

use std::collections::BTreeMap;

use jiff::Timestamp;
use runlane::access::Token;
use runlane::run::{Attempt, Run, RunId, WorkspaceName};
use runlane::store::{
    AuditEntry, AuditFilter, Count, Event, Lane, Page, Position, Queue, Result, RunFilter, Store, WaitingTask, Worker,
};

use super::op::TOKENS;
use super::play::{hash, normal, workspace};
use super::schedules::Recurring;

/// What there is, run by run and list by list.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Snapshot {
    pub(crate) runs: BTreeMap<RunId, Run>,
    /// In order of submission, as the store numbered them.
    order: Vec<RunId>,
    lanes: Vec<Lane>,
    queues: Vec<Queue>,
    workers: Vec<Worker>,
    counts: Vec<Count>,
    waiting_tasks: Vec<WaitingTask>,
    workspaces: Vec<WorkspaceName>,
    tokens: Vec<Token>,
    /// What each secret opens.
    opened: Vec<Option<Token>>,
    /// Numbers may differ, their order may not.
    audit: Vec<(Timestamp, AuditEntry)>,
    recurring: Recurring,
}

/// What is read of one run at a time.
#[derive(Debug, PartialEq)]
pub(crate) struct Details {
    run: Option<Run>,
    attempts: Option<Vec<Attempt>>,
    waits: Option<Vec<RunId>>,
    events: Option<Vec<Event>>,
    /// Of a run that a verb brings together with others, the place is no promise.
    position: Option<Position>,
}

impl Snapshot {
    /// Reads in small pages, so that the paging is compared too.
    pub(crate) async fn of(store: &dyn Store) -> Result<Self> {
        let mut all = Self { workspaces: store.workspaces().await?, ..Self::default() };
        let mut runs: Vec<Run> = Vec::new();
        for workspace in [workspace(0), workspace(1)] {
            let mut page = Page::first(7);
            loop {
                let listed = store.runs(&workspace, &RunFilter::default(), &page).await?;
                runs.extend(listed.data);
                let Some(next) = listed.next else { break };
                page.after = Some(next);
            }
            all.lanes.extend(store.lanes(&workspace, None, &Page::first(100)).await?.data);
            all.queues.extend(store.queues(&workspace).await?);
            all.tokens.extend(store.tokens(Some(&workspace)).await?);
            all.audit.extend(audit(store, Some(&workspace)).await?);
        }
        runs.sort_by_key(|run| run.seq);
        // Of runs that a verb brings together, which comes first is no promise.
        let submitted = |run: &&Run| run.scheduled.is_none_or(|scheduled| scheduled.slot.is_none());
        all.order = runs.iter().filter(submitted).map(|run| run.id).collect();
        all.runs = runs.into_iter().map(|run| (run.id, normal(run))).collect();
        all.workers = store.workers().await?;
        all.workers.sort_by_key(|worker| worker.info.id);
        all.counts = store.counts().await?;
        all.counts.sort_by_key(|count| (count.workspace.clone(), count.queue.clone(), count.status));
        all.waiting_tasks = store.waiting_tasks(1_000).await?;
        all.tokens.extend(store.tokens(None).await?);
        all.audit.extend(audit(store, None).await?);
        for secret in 0..TOKENS {
            all.opened.push(store.authenticate(&hash(secret)).await?);
        }
        all.recurring = Recurring::of(store).await?;
        Ok(all)
    }

    /// The runs that are not as they were.
    pub(crate) fn changed_since(&self, before: &Snapshot) -> Vec<(WorkspaceName, RunId)> {
        let changed = self.runs.values().filter(|run| before.runs.get(&run.id) != Some(*run));
        changed.map(|run| (run.workspace.clone(), run.id)).collect()
    }
}

async fn audit(store: &dyn Store, workspace: Option<&WorkspaceName>) -> Result<Vec<(Timestamp, AuditEntry)>> {
    let (mut records, mut page) = (Vec::new(), Page::first(7));
    loop {
        let listed = store.audit(workspace, &AuditFilter::default(), &page).await?;
        records.extend(listed.data.into_iter().map(|record| (record.at, record.entry)));
        let Some(next) = listed.next else { return Ok(records) };
        page.after = Some(next);
    }
}

impl Details {
    pub(crate) async fn of(store: &dyn Store, workspace: &WorkspaceName, run: RunId) -> Result<Self> {
        let waits = store.waits(workspace, run).await?.map(|mut waits| {
            waits.sort();
            waits
        });
        let found = store.run(workspace, run).await?;
        let position = match found.as_ref().filter(|found| found.scheduled.is_none()) {
            Some(found) => {
                let workers: Vec<_> = store.workers().await?.iter().map(|worker| worker.info.id).collect();
                Some(store.position(found, &workers, 3).await?)
            }
            None => None,
        };
        Ok(Self {
            position,
            run: found.map(normal),
            attempts: store.attempts(workspace, run).await?,
            waits,
            events: store.events(workspace, run, 0, 1_000).await?,
        })
    }
}
