//! Reading.

use std::collections::{BTreeMap, BTreeSet};

use super::model::Model;
use crate::run::{Attempt, LaneName, QueueName, Run, RunId, Status, WorkspaceName};
use crate::store::{Count, Event, Lane, LanePolicy, Listed, Page, Queue, RunFilter, SEARCHED_ENDS};

impl Model {
    pub(super) fn list(&self, workspace: &WorkspaceName, filter: &RunFilter, page: &Page<RunId>) -> Listed<Run, RunId> {
        let wanted = |run: &&Run| run.workspace == *workspace && filter.matches(run);
        let on_page = |run: &&Run| page.after.is_none_or(|after| run.id < after);
        let runs = self.runs.values().rev().filter(wanted).filter(on_page).take(page.limit + 1).cloned().collect();
        Listed::cut(runs, page.limit, |run: &Run| run.id)
    }

    pub(super) fn runs_ending(&self, workspace: &WorkspaceName, end: &str, limit: usize) -> Vec<RunId> {
        let here = |run: &&Run| run.workspace == *workspace;
        let is_over = |run: &&Run| run.status().is_terminal();
        let live = self.runs.values().rev().filter(|run| !is_over(run)).take(SEARCHED_ENDS).filter(here);
        let finished = self.runs.values().rev().filter(is_over).filter(here).take(SEARCHED_ENDS);
        let ends_so = |id: &RunId| id.0.simple().to_string().ends_with(end);
        live.chain(finished).map(|run| run.id).filter(ends_so).take(limit).collect()
    }

    pub(super) fn attempts(&self, workspace: &WorkspaceName, run: RunId) -> Option<Vec<Attempt>> {
        let run = self.find(workspace, run)?;
        let mut attempts = self.attempts.get(&run.id).cloned().unwrap_or_default();
        attempts.extend(run.last_attempt());
        Some(attempts)
    }

    pub(super) fn events(&self, workspace: &WorkspaceName, run: RunId, after: i64, limit: usize) -> Option<Vec<Event>> {
        let run = self.find(workspace, run)?;
        let events = self.events.get(&run.id).into_iter().flatten();
        Some(events.filter(|event| event.seq > after).take(limit).cloned().collect())
    }

    pub(super) fn lanes(
        &self,
        workspace: &WorkspaceName,
        only: Option<&LaneName>,
        page: &Page<LaneName>,
    ) -> Listed<Lane, LaneName> {
        let of_runs = self.runs.values().filter(|run| !run.status().is_terminal() || self.holds.contains(&run.id));
        let mut names: BTreeSet<LaneName> =
            of_runs.filter(|run| run.workspace == *workspace).filter_map(|run| run.lane.clone()).collect();
        let with_policy = self.lane_policies.iter().filter(|(_, policy)| **policy != LanePolicy::default());
        names.extend(with_policy.filter(|((owner, _), _)| owner == workspace).map(|((_, lane), _)| lane.clone()));
        let wanted = |name: &LaneName| only.is_none_or(|only| name == only);
        let on_page = |name: &LaneName| wanted(name) && page.after.as_ref().is_none_or(|after| name > after);
        let lanes = names.into_iter().filter(on_page).take(page.limit + 1).map(|name| self.lane(workspace, name));
        Listed::cut(lanes.collect(), page.limit, |lane: &Lane| lane.name.clone())
    }

    fn lane(&self, workspace: &WorkspaceName, name: LaneName) -> Lane {
        let in_lane = |run: &&Run| run.workspace == *workspace && run.lane.as_ref() == Some(&name);
        let occupant = self.live().filter(in_lane).find(|run| run.status().occupies_lane()).map(|run| run.id);
        let waiting = self.live().filter(in_lane).filter(|run| run.status() == Status::Queued).count() as u64;
        let held_by = self.holders(workspace, &name);
        let policy = self.lane_policies.get(&(workspace.clone(), name.clone())).copied().unwrap_or_default();
        Lane { name, policy, occupant, held_by, waiting }
    }

    pub(super) fn queues(&self, workspace: &WorkspaceName) -> Vec<Queue> {
        let mut queues: BTreeMap<QueueName, Queue> = BTreeMap::new();
        let entry = |queues: &mut BTreeMap<QueueName, Queue>, name: &QueueName| {
            let settings = self.queues.get(&(workspace.clone(), name.clone())).copied().unwrap_or_default();
            queues.entry(name.clone()).or_insert(Queue { name: name.clone(), settings, running: 0, waiting: 0 });
        };
        for (owner, name) in self.queues.keys() {
            if owner == workspace {
                entry(&mut queues, name);
            }
        }
        for run in self.live().filter(|run| run.workspace == *workspace) {
            entry(&mut queues, &run.queue);
            let Some(queue) = queues.get_mut(&run.queue) else { continue };
            match run.status() {
                Status::Running => queue.running += 1,
                Status::Queued | Status::Retrying => queue.waiting += 1,
                _ => {}
            }
        }
        queues.into_values().collect()
    }

    pub(super) fn counts(&self) -> Vec<Count> {
        let mut counts: BTreeMap<(WorkspaceName, QueueName, Status), Count> = BTreeMap::new();
        for run in self.live() {
            let (workspace, queue, status) = (run.workspace.clone(), run.queue.clone(), run.status());
            let count = counts.entry((workspace.clone(), queue.clone(), status)).or_insert(Count {
                workspace,
                queue,
                status,
                runs: 0,
                ready: 0,
                oldest_ready: None,
            });
            count.runs += 1;
            if run.is_ready() {
                count.ready += 1;
                count.oldest_ready = Some(count.oldest_ready.map_or(run.available_at, |at| at.min(run.available_at)));
            }
        }
        counts.into_values().collect()
    }
}
