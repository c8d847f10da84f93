//! The primitives of the shared verbs, one statement each.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures::future::try_join;
use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::arrays::{Params, run_arrays};
use super::copy::copy_runs;
use super::marks::{Look, Mark};
use super::row::{JsonText, runs};
use super::session::Session;
use super::streams::task_names;
use uuid::Uuid;

use crate::access::{Token, TokenHash, TokenId};
use crate::clock::until;
use crate::run::{
    Attempt, IdempotencyKey, Json, LaneName, NewRun, QueueName, Run, RunId, RunKey, ScheduleId, Status, WorkspaceName,
};
use crate::store::ready::News;
use crate::store::script::{
    Columns, Ended, FoundDue, Front, Interest, LaneKey, Place, QueueKey, Ready, Remembered, Room, Turn, Tx, bad_name,
    steps, to_i32, to_u32,
};
use crate::store::{
    Claim, ClaimRequest, Finish, LanePolicy, Lease, NewEvent, Renew, Renewal, Result, Retention, StoreError,
};

/// So many new runs are copied in rather than inserted.
const MANY_RUNS: usize = 100;

impl Tx for Session {
    async fn now(&mut self) -> Result<Timestamp> {
        if let Some(now) = self.injected_now().or(self.time.take()) {
            return Ok(now);
        }
        self.ask_time().await
    }

    fn commit_with_next(&mut self, may_make_ready: bool) {
        self.last = Some(may_make_ready);
    }

    fn made_ready(&mut self) {
        self.news.ready = true;
    }

    fn put_off(&mut self, wait: SignedDuration) {
        self.news.add(News { due_in: Some(wait), ..News::default() });
    }

    async fn known_workspaces(&mut self, names: &[WorkspaceName]) -> Result<HashSet<WorkspaceName>> {
        if let Some(known) = self.shared.workspaces.all(names) {
            return Ok(known);
        }
        let params = Params::default().texts(names.iter().map(WorkspaceName::as_str).collect());
        let rows = self.query(&self.statements.known_workspaces, params).await?;
        let known = rows.iter().map(|row| workspace(row, 0)).collect::<Result<HashSet<_>>>()?;
        self.shared.workspaces.learn(&known);
        Ok(known)
    }

    async fn known_runs(&mut self, ids: &[(WorkspaceName, RunId)]) -> Result<HashMap<RunId, (WorkspaceName, Status)>> {
        let named: HashSet<&(WorkspaceName, RunId)> = ids.iter().collect();
        // Whoever asks this asks for the time next.
        let (found, time) = try_join(self.runs_between(ids), self.ask_time()).await?;
        self.time = Some(time);
        let rows = match found {
            Some(rows) => rows,
            None => self.runs_named(ids).await?,
        };
        let mut known = HashMap::new();
        for row in &rows {
            let run = (workspace(row, 1)?, RunId(row.get(0)));
            let status = status(row, 2)?;
            // A live run is known to all; of the finished ones, each workspace knows its own.
            if !status.is_terminal() || named.contains(&run) {
                known.insert(run.1, (run.0, status));
            }
        }
        Ok(known)
    }

    async fn remembered(&mut self, keys: &[(WorkspaceName, IdempotencyKey)]) -> Result<Vec<Remembered>> {
        let params = Params::default()
            .texts(keys.iter().map(|(workspace, _)| workspace.as_str()).collect())
            .texts(keys.iter().map(|(_, key)| key.as_str()).collect());
        let rows = self.query(&self.statements.remembered, params).await?;
        let known = rows.iter().map(|row| {
            Ok(Remembered {
                workspace: workspace(row, 0)?,
                key: IdempotencyKey::parse(row.get::<_, String>(1)).map_err(bad_name)?,
                fingerprint: row.get(2),
                run: RunId(row.get(3)),
                expires_at: row.get(4),
            })
        });
        known.collect()
    }

    async fn remember(&mut self, requests: &[Remembered]) -> Result<()> {
        let now = self.now().await?;
        let params = Params::default()
            .texts(requests.iter().map(|known| known.workspace.as_str()).collect())
            .texts(requests.iter().map(|known| known.key.as_str()).collect())
            .add(requests.iter().map(|known| known.fingerprint.clone()).collect::<Vec<_>>(), Type::BYTEA_ARRAY)
            .uuids(requests.iter().map(|known| known.run.0).collect())
            .times(requests.iter().map(|known| known.expires_at).collect())
            .time(Some(now));
        let stored = self.query(&self.statements.remember, params).await?.len();
        // Somebody else used one of the keys since they were looked up: look again.
        if stored == requests.len() { Ok(()) } else { Err(StoreError::Contended { doing: self.doing() }) }
    }

    async fn keyed_runs(&mut self, keys: &[(WorkspaceName, RunKey)]) -> Result<Vec<Run>> {
        let params = Params::default()
            .texts(keys.iter().map(|(workspace, _)| workspace.as_str()).collect())
            .texts(keys.iter().map(|(_, key)| key.as_str()).collect());
        runs(&self.query(&self.statements.keyed_runs, params).await?)
    }

    async fn count_live(&mut self) -> Result<u64> {
        let [lock, count] = steps(&self.statements.count_live);
        self.execute(lock, Params::default()).await?;
        let rows = self.query(count, Params::default()).await?;
        Ok(rows[0].get::<_, i64>(0) as u64)
    }

    async fn insert_ready(&mut self, requests: &[NewRun]) -> Result<(Vec<bool>, Timestamp)> {
        self.insert_plain(requests).await
    }

    async fn insert_runs(&mut self, runs: &[Run]) -> Result<()> {
        match runs.len() {
            ..MANY_RUNS => {
                let [insert, _] = steps(&self.statements.insert_runs);
                self.execute(insert, run_arrays(Columns::New, runs)).await?;
            }
            _ => copy_runs(self, runs).await?,
        }
        self.follow(runs);
        Ok(())
    }

    async fn insert_finished(&mut self, runs: &[Run]) -> Result<()> {
        self.execute(&self.statements.insert_finished, run_arrays(Columns::History, runs)).await?;
        Ok(())
    }

    async fn lock_runs(&mut self, ids: &[RunId]) -> Result<Vec<Run>> {
        runs(&self.query(&self.statements.lock_runs, ids_only(ids)).await?)
    }

    async fn lock_finished(&mut self, workspace: &WorkspaceName, ids: &[RunId]) -> Result<Vec<Run>> {
        let params = Params::default().text(workspace.as_str()).uuids(ids.iter().map(|id| id.0).collect());
        runs(&self.query(&self.statements.lock_finished, params).await?)
    }

    async fn update_runs(&mut self, runs: &[Run]) -> Result<usize> {
        self.forget |= runs.iter().any(Run::is_ready);
        self.execute(&self.statements.update_runs, run_arrays(Columns::Runs, runs)).await
    }

    async fn end_runs(&mut self, runs: &[Run]) -> Result<usize> {
        self.execute(&self.statements.end_runs, run_arrays(Columns::History, runs)).await
    }

    async fn revive_runs(&mut self, runs: &[Run]) -> Result<usize> {
        self.forget |= runs.iter().any(Run::is_ready);
        self.execute(&self.statements.revive_runs, run_arrays(Columns::Runs, runs)).await
    }

    async fn insert_attempts(&mut self, attempts: &[(RunId, Attempt)]) -> Result<()> {
        let ends: Vec<_> =
            attempts.iter().filter_map(|(run, attempt)| Some((run, attempt, attempt.ended.as_ref()?))).collect();
        let params = Params::default()
            .uuids(ends.iter().map(|(run, ..)| run.0).collect())
            .bigs(ends.iter().map(|(_, attempt, _)| attempt.epoch).collect())
            .ints(ends.iter().map(|(_, attempt, _)| to_i32(attempt.number)).collect())
            .uuids(ends.iter().map(|(_, attempt, _)| attempt.by.worker.0).collect())
            .texts(ends.iter().map(|(_, attempt, _)| attempt.by.host.as_str()).collect())
            .times(ends.iter().map(|(_, attempt, _)| attempt.by.started_at).collect())
            .times(ends.iter().map(|(.., end)| end.at).collect())
            .texts(ends.iter().map(|(.., end)| end.status.as_str()).collect())
            .opt_texts(ends.iter().map(|(.., end)| end.error.as_ref().map(|error| error.code.as_str())).collect())
            .opt_texts(ends.iter().map(|(.., end)| end.error.as_ref().map(|error| error.message.as_str())).collect());
        self.execute(&self.statements.insert_attempts, params).await?;
        Ok(())
    }

    async fn insert_waits(&mut self, waits: &[(RunId, RunId)]) -> Result<()> {
        self.execute(&self.statements.insert_waits, pairs(waits)).await?;
        Ok(())
    }

    async fn mark_awaited(&mut self, upstreams: &[RunId]) -> Result<HashMap<RunId, Option<LaneKey>>> {
        let rows = self.query(&self.statements.mark_awaited, ids_only(upstreams)).await?;
        rows.iter().map(|row| Ok((RunId(row.get(0)), lane_key(row, 1)?))).collect()
    }

    async fn waits_on(&mut self, upstreams: &[RunId]) -> Result<Vec<(RunId, RunId)>> {
        let rows = self.query(&self.statements.waits_on, ids_only(upstreams)).await?;
        Ok(rows.iter().map(|row| (RunId(row.get(0)), RunId(row.get(1)))).collect())
    }

    async fn delete_waits(&mut self, waits: &[(RunId, RunId)]) -> Result<()> {
        self.execute(&self.statements.delete_waits, pairs(waits)).await?;
        Ok(())
    }

    async fn delete_waits_of(&mut self, runs: &[RunId]) -> Result<()> {
        self.execute(&self.statements.delete_waits_of, ids_only(runs)).await?;
        Ok(())
    }

    async fn waiting(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let rows = self.query(&self.statements.waiting, ids_only(runs)).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn lock_lanes(&mut self, lanes: &[LaneKey]) -> Result<HashMap<LaneKey, LanePolicy>> {
        let rows = self.query(&self.statements.lock_lanes, lane_keys(lanes)).await?;
        let policy = |row: &Row| {
            let word: &str = row.get(2);
            LanePolicy::from_word(word).ok_or_else(|| StoreError::Corrupt(format!("lane policy {word:?}")))
        };
        rows.iter().map(|row| Ok(((workspace(row, 0)?, lane(row, 1)?), policy(row)?))).collect()
    }

    async fn set_lane_policy(&mut self, (workspace, lane): &LaneKey, policy: LanePolicy) -> Result<()> {
        let params = Params::default().text(workspace.as_str()).text(lane.as_str()).text(policy.as_str());
        self.execute(&self.statements.set_lane_policy, params).await?;
        Ok(())
    }

    async fn insert_holds(&mut self, holds: &[(RunId, LaneKey)]) -> Result<()> {
        let params = Params::default()
            .uuids(holds.iter().map(|(run, _)| run.0).collect())
            .texts(holds.iter().map(|(_, (workspace, _))| workspace.as_str()).collect())
            .texts(holds.iter().map(|(_, (_, lane))| lane.as_str()).collect());
        self.execute(&self.statements.insert_holds, params).await?;
        Ok(())
    }

    async fn delete_holds(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let rows = self.query(&self.statements.delete_holds, ids_only(runs)).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn delete_lane_holds(&mut self, (workspace, lane): &LaneKey) -> Result<usize> {
        let params = Params::default().text(workspace.as_str()).text(lane.as_str());
        self.execute(&self.statements.delete_lane_holds, params).await
    }

    async fn lane_fronts(&mut self, lanes: &[LaneKey]) -> Result<Vec<Front>> {
        let rows = self.query(&self.statements.lane_fronts, lane_keys(lanes)).await?;
        let front = |row: &Row| {
            Ok(Front {
                closed: row.get(2),
                ready: row.get::<_, Option<_>>(3).map(RunId),
                first: row.get::<_, Option<_>>(4).map(RunId),
            })
        };
        rows.iter().map(front).collect()
    }

    async fn lane_demote(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let rows = self.query(&self.statements.lane_demote, ids_only(runs)).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn lane_promote(&mut self, runs: &[RunId]) -> Result<()> {
        self.execute(&self.statements.lane_promote, ids_only(runs)).await?;
        self.forget = true;
        Ok(())
    }

    async fn lane_claim(&mut self, first: &[RunId], request: &ClaimRequest) -> Result<Vec<Run>> {
        let params = self
            .lease_params(&request.taker, request.lease_ttl)
            .uuids(first.iter().map(|id| id.0).collect())
            .texts(request.queues.iter().map(QueueName::as_str).collect())
            .add(task_names(request.tasks.as_deref()), Type::TEXT_ARRAY);
        runs(&self.query(&self.statements.lane_claim, params).await?)
    }

    async fn is_idle(&mut self, interest: &Interest) -> Result<bool> {
        self.nothing_waits(interest).await
    }

    async fn claim_known(&mut self, request: &ClaimRequest) -> Result<Option<Claim>> {
        // What this transaction made ready may stand before the place where the last claim ended.
        let only = if self.forget || self.looked { None } else { self.marks.look(&Interest::of(request)).only() };
        Ok(Some(match only {
            Some(only) => self.claim_from(&only, request).await?,
            None => Claim::default(),
        }))
    }

    async fn adopt(&mut self, request: &ClaimRequest) -> Result<(Vec<(Run, Timestamp)>, Ready)> {
        let look = self.begin_look(&Interest::of(request));
        let found = self.streams(look).await?;
        let adopted = if found.orphans { self.adopt_orphans(request).await? } else { Vec::new() };
        Ok((adopted, self.ready(look, &found)?))
    }

    async fn ready_streams(&mut self, interest: &Interest) -> Result<Ready> {
        let look = self.begin_look(interest);
        let found = self.streams(look).await?;
        self.ready(look, &found)
    }

    async fn lock_rooms(&mut self, queues: &[QueueKey]) -> Result<Vec<Room>> {
        let params = || {
            Params::default()
                .texts(queues.iter().map(|(workspace, _)| workspace.as_str()).collect())
                .texts(queues.iter().map(|(_, queue)| queue.as_str()).collect())
        };
        let [lock, count] = steps(&self.statements.lock_rooms);
        let limits = self.query(lock, params()).await?;
        let mut running: HashMap<(WorkspaceName, QueueName), i64> = HashMap::new();
        for row in self.query(count, params()).await? {
            running.insert((workspace(&row, 0)?, queue(&row, 1)?), row.get(2));
        }
        let room = |row: &Row| {
            let (workspace, queue) = (workspace(row, 0)?, queue(row, 1)?);
            let busy = running.get(&(workspace.clone(), queue.clone())).copied().unwrap_or_default();
            let free = (i64::from(row.get::<_, i32>(2)) - busy).max(0) as usize;
            Ok(Room { workspace, queue, free })
        };
        limits.iter().map(room).collect()
    }

    async fn ready_places(&mut self, turns: &[Turn]) -> Result<Vec<Place>> {
        let rows = self.query(&self.statements.ready_places, turn_params(Params::default(), turns, &self.look)).await?;
        // Counted from 1.
        let turn = |row: &Row| row.get::<_, i64>(0) as usize - 1;
        let place =
            |row: &Row| Place { turn: turn(row), urgency: row.get(1), seq: row.get(2), may_go_ahead: row.get(3) };
        Ok(rows.iter().map(place).collect())
    }

    async fn claim(&mut self, turns: &[Turn], request: &ClaimRequest) -> Result<Vec<Run>> {
        let params = self.lease_params(&request.taker, request.lease_ttl);
        let [claim, _] = steps(&self.statements.claim);
        let params = turn_params(params, turns, &self.look).add(request.ahead.is_some(), Type::BOOL);
        let claimed = runs(&self.query(claim, params).await?)?;
        self.look.claimed(&claimed);
        Ok(claimed)
    }

    async fn renew(&mut self, leases: &[Renew], ttl: SignedDuration) -> Result<HashMap<Lease, Renewal>> {
        let mut answers = HashMap::new();
        for (epoch, renewals) in by_epoch(leases.iter().map(|renew| (renew.lease, renew.began))) {
            self.renew_epoch(epoch, &renewals, ttl, &mut answers).await?;
        }
        Ok(answers)
    }

    async fn finish_plain(&mut self, finishes: &[&Finish]) -> Result<Ended> {
        let mut ended = Ended::default();
        // Nearly all leases of a batch have the same epoch, and one epoch a statement keeps the plan an index scan.
        for (epoch, said) in by_epoch(finishes.iter().map(|finish| (finish.lease, *finish))) {
            let params = Params::default()
                .uuids(said.iter().map(|(id, _)| id.0).collect())
                .big(epoch)
                .jsons(said.iter().map(|(_, finish)| finish.outcome.output().map(Json::as_str)).collect())
                .time(self.injected_now())
                .bigs(said.iter().map(|(_, finish)| micros(finish.ran)).collect());
            for row in self.query(&self.statements.finish_plain, params).await? {
                let Some(runs) = row.get::<_, Option<Vec<Uuid>>>(0) else { continue };
                ended.runs.extend(runs.into_iter().map(RunId));
                let [workspaces, lanes] = [1, 2].map(|at| row.get::<_, Option<Vec<&str>>>(at).unwrap_or_default());
                for (workspace, lane) in workspaces.into_iter().zip(lanes) {
                    let workspace = WorkspaceName::parse(workspace).map_err(bad_name)?;
                    ended.lanes.insert((workspace, LaneName::parse(lane).map_err(bad_name)?));
                }
                ended.limited |= row.get::<_, bool>(3);
            }
        }
        Ok(ended)
    }

    async fn any_limited(&mut self, queues: &[QueueKey]) -> Result<bool> {
        let params = Params::default()
            .texts(queues.iter().map(|(workspace, _)| workspace.as_str()).collect())
            .texts(queues.iter().map(|(_, queue)| queue.as_str()).collect());
        Ok(self.query(&self.statements.any_limited, params).await?[0].get(0))
    }

    async fn append(&mut self, run: &Run, events: &[NewEvent], now: Timestamp) -> Result<i64> {
        let params = Params::default()
            .add(run.id.0, Type::UUID)
            .time(Some(now))
            .add(to_i32(run.attempt), Type::INT4)
            .texts(events.iter().map(|event| event.kind.as_str()).collect())
            .add(events.iter().map(|event| JsonText(event.data.as_str())).collect::<Vec<_>>(), Type::JSON_ARRAY);
        let rows = self.query(&self.statements.append, params).await?;
        let written = rows.iter().map(|row| row.get::<_, i64>(0)).max();
        match written {
            Some(last) => Ok(last),
            None => self.last_event(run.id).await,
        }
    }

    async fn insert_token(&mut self, token: &Token, hash: &TokenHash) -> Result<bool> {
        let params = Params::default()
            .add(token.id.0, Type::UUID)
            .add(hash.0.as_slice(), Type::BYTEA)
            .add(token.workspace.as_ref().map(WorkspaceName::as_str), Type::TEXT)
            .text(token.name.as_str())
            .text(token.role.as_str())
            .time(Some(token.created_at))
            .time(token.expires_at);
        Ok(self.execute(&self.statements.insert_token, params).await? > 0)
    }

    async fn token_exists(&mut self, token: TokenId) -> Result<bool> {
        let rows = self.query(&self.statements.token_exists, Params::default().add(token.0, Type::UUID)).await?;
        Ok(rows[0].get(0))
    }

    async fn revoke_token(&mut self, token: TokenId) -> Result<bool> {
        let params = Params::default().add(token.0, Type::UUID).time(self.injected_now());
        Ok(self.execute(&self.statements.revoke_token, params).await? > 0)
    }

    async fn reap(&mut self, limit: usize) -> Result<Vec<RunId>> {
        let params = Params::default().time(self.injected_now()).big(limit as i64);
        let rows = self.query(&self.statements.reap, params).await?;
        Ok(rows.iter().map(|row| RunId(row.get(0))).collect())
    }

    async fn promote(&mut self, limit: usize) -> Result<Vec<FoundDue>> {
        let params = Params::default().time(self.injected_now()).big(limit as i64);
        let rows = self.query(&self.statements.promote, params).await?;
        self.forget |= !rows.is_empty();
        let due =
            |row: &Row| Ok(FoundDue { lane: lane_key(row, 0)?, schedule: row.get::<_, Option<_>>(2).map(ScheduleId) });
        rows.iter().map(due).collect()
    }

    async fn next_due(&mut self) -> Result<Option<SignedDuration>> {
        let rows = self.query(&self.statements.next_due, Params::default().time(self.injected_now())).await?;
        Ok(rows.first().map(|row| until(row.get(0), row.get(1))))
    }

    async fn overdue_runs(&mut self, grace: SignedDuration, limit: usize) -> Result<Vec<Run>> {
        let params = Params::default().time(self.injected_now()).big(micros(grace)).big(limit as i64);
        runs(&self.query(&self.statements.overdue_runs, params).await?)
    }

    async fn prune_finished(&mut self, kept: SignedDuration, limit: usize) -> Result<usize> {
        let [history, attempts, events] = steps(&self.statements.prune_finished);
        // What is old is found by its block range, which only a bitmap scan reads.
        self.execute("set local enable_bitmapscan = on", Params::default()).await?;
        let params = Params::default().time(self.injected_now()).big(micros(kept)).big(limit as i64);
        let gone: Vec<RunId> = self.query(history, params).await?.iter().map(|row| RunId(row.get(0))).collect();
        if !gone.is_empty() {
            for step in [attempts, events] {
                self.execute(step, ids_only(&gone)).await?;
            }
        }
        Ok(gone.len())
    }

    async fn prune_idempotency(&mut self, limit: usize) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(limit as i64);
        self.execute(&self.statements.prune_idempotency, params).await
    }

    async fn prune_workers(&mut self, retention: &Retention) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(micros(retention.workers));
        self.execute(&self.statements.prune_workers, params).await
    }

    async fn prune_audit(&mut self, kept: SignedDuration, limit: usize) -> Result<usize> {
        let params = Params::default().time(self.injected_now()).big(micros(kept)).big(limit as i64);
        self.execute(&self.statements.prune_audit, params).await
    }

    async fn prune_lanes(&mut self, limit: usize) -> Result<()> {
        let [lock, delete] = steps(&self.statements.prune_lanes);
        let rows = self.query(lock, Params::default().big(limit as i64)).await?;
        let idle = rows.iter().map(|row| Ok((workspace(row, 0)?, lane(row, 1)?))).collect::<Result<Vec<LaneKey>>>()?;
        if !idle.is_empty() {
            self.execute(delete, lane_keys(&idle)).await?;
        }
        Ok(())
    }
}

impl Session {
    async fn ask_time(&self) -> Result<Timestamp> {
        if let Some(now) = self.injected_now() {
            return Ok(now);
        }
        let rows = self.query("select clock_timestamp()", Params::default()).await?;
        Ok(rows[0].get(0))
    }

    async fn last_event(&self, run: RunId) -> Result<i64> {
        let sql = "select coalesce(max(seq), 0) from runlane.events where run = $1";
        Ok(self.query(sql, Params::default().add(run.0, Type::UUID)).await?[0].get(0))
    }
}

fn by_epoch<T>(leases: impl Iterator<Item = (Lease, T)>) -> BTreeMap<i64, Vec<(RunId, T)>> {
    let mut groups: BTreeMap<i64, Vec<(RunId, T)>> = BTreeMap::new();
    for (lease, said) in leases {
        groups.entry(lease.epoch).or_default().push((lease.run, said));
    }
    groups
}

fn ids_only(ids: &[RunId]) -> Params<'static> {
    Params::default().uuids(ids.iter().map(|id| id.0).collect())
}

fn pairs(pairs: &[(RunId, RunId)]) -> Params<'static> {
    Params::default()
        .uuids(pairs.iter().map(|(run, _)| run.0).collect())
        .uuids(pairs.iter().map(|(_, upstream)| upstream.0).collect())
}

fn lane_keys(lanes: &[LaneKey]) -> Params<'_> {
    Params::default()
        .texts(lanes.iter().map(|(workspace, _)| workspace.as_str()).collect())
        .texts(lanes.iter().map(|(_, lane)| lane.as_str()).collect())
}

fn turn_params<'a>(params: Params<'a>, turns: &'a [Turn], look: &Look) -> Params<'a> {
    let marks: Vec<Mark> = turns.iter().map(|turn| look.mark(&turn.stream)).collect();
    params
        .texts(turns.iter().map(|turn| turn.stream.workspace.as_str()).collect())
        .texts(turns.iter().map(|turn| turn.stream.task.as_str()).collect())
        .texts(turns.iter().map(|turn| turn.stream.queue.as_str()).collect())
        .bigs(turns.iter().map(|turn| turn.take as i64).collect())
        .smalls(marks.iter().map(|mark| mark.0).collect())
        .bigs(marks.iter().map(|mark| mark.1).collect())
}

/// Intervals travel as microseconds.
pub(super) fn micros(duration: SignedDuration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

pub(super) fn workspace(row: &Row, at: usize) -> Result<WorkspaceName> {
    WorkspaceName::parse(row.get::<_, &str>(at)).map_err(bad_name)
}

pub(super) fn queue(row: &Row, at: usize) -> Result<QueueName> {
    QueueName::parse(row.get::<_, &str>(at)).map_err(bad_name)
}

pub(super) fn lane(row: &Row, at: usize) -> Result<LaneName> {
    LaneName::parse(row.get::<_, &str>(at)).map_err(bad_name)
}

pub(super) fn status(row: &Row, at: usize) -> Result<Status> {
    let word: &str = row.get(at);
    Status::from_word(word).ok_or_else(|| StoreError::Corrupt(format!("status {word:?}")))
}

/// A workspace and, in the next column, a lane that may be null.
fn lane_key(row: &Row, at: usize) -> Result<Option<LaneKey>> {
    match row.get::<_, Option<&str>>(at + 1) {
        Some(name) => Ok(Some((workspace(row, at)?, LaneName::parse(name).map_err(bad_name)?))),
        None => Ok(None),
    }
}

pub(super) fn unsigned(row: &Row, at: usize) -> u32 {
    to_u32(row.get(at))
}
