//! The primitives of the shared verbs. Statements run row by row: they are prepared once, nothing travels, and there
//! is no other writer to lock anything against.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use rusqlite::types::Value;
use rusqlite::vtab::array::Array;
use rusqlite::{Row, params};

use super::row;
use super::session::{Session, back, collect, first, limit};
use crate::access::{Token, TokenHash, TokenId};
use crate::clock::{earlier, from_micros, later, until};
use crate::run::{
    Attempt, IdempotencyKey, Json, LaneName, NewRun, Run, RunId, RunKey, ScheduleId, Status, Stop, WorkspaceName,
};
use crate::store::ready::News;
use crate::store::script::steps;
use crate::store::script::{
    Columns, Ended, FoundDue, Front, Interest, LaneKey, Place, QueueKey, Ready, Remembered, Room, StreamKey, Turn, Tx,
    bad_name, retry_text, to_i32,
};
use crate::store::{
    Claim, ClaimRequest, Finish, LanePolicy, Lease, NewEvent, Renew, Renewal, Result, Retention, StoreError,
};

impl Tx for Session<'_> {
    async fn now(&mut self) -> Result<Timestamp> {
        Ok(self.time())
    }

    fn made_ready(&mut self) {
        self.news.ready = true;
    }

    fn put_off(&mut self, wait: SignedDuration) {
        self.news.add(News { due_in: Some(wait), ..News::default() });
    }

    async fn known_workspaces(&mut self, names: &[WorkspaceName]) -> Result<HashSet<WorkspaceName>> {
        let mut known = HashSet::new();
        for name in names {
            known.extend(self.row(&self.sql.known_workspaces, [name.as_str()], |_| Ok(name.clone()))?);
        }
        Ok(known)
    }

    async fn known_runs(&mut self, ids: &[(WorkspaceName, RunId)]) -> Result<HashMap<RunId, (WorkspaceName, Status)>> {
        let mut select = self.prepare(&self.sql.known_runs)?;
        let mut known = HashMap::new();
        for (workspace, id) in ids {
            let found = first(&mut select, params![workspace.as_str(), id.0.as_bytes()], |row| {
                Ok((row::name(row, 0, WorkspaceName::parse)?, row::word(row, 1, Status::from_word)?))
            })?;
            known.extend(found.map(|found| (*id, found)));
        }
        Ok(known)
    }

    async fn remembered(&mut self, keys: &[(WorkspaceName, IdempotencyKey)]) -> Result<Vec<Remembered>> {
        let mut select = self.prepare(&self.sql.remembered)?;
        let mut found = Vec::new();
        for (workspace, key) in keys {
            let read = |row: &Row<'_>| {
                Ok(Remembered {
                    workspace: workspace.clone(),
                    key: key.clone(),
                    fingerprint: row.get(0)?,
                    run: row::run_id(row, 1)?,
                    expires_at: row::at(row, 2)?,
                })
            };
            collect(&mut select, [workspace.as_str(), key.as_str()], read, &mut found)?;
        }
        Ok(found)
    }

    async fn remember(&mut self, requests: &[Remembered]) -> Result<()> {
        let mut upsert = self.prepare(&self.sql.remember)?;
        for Remembered { workspace, key, fingerprint, run, expires_at } in requests {
            let expires_at = expires_at.as_microsecond();
            upsert.execute(params![workspace.as_str(), key.as_str(), fingerprint, run.0.as_bytes(), expires_at])?;
        }
        Ok(())
    }

    async fn keyed_runs(&mut self, keys: &[(WorkspaceName, RunKey)]) -> Result<Vec<Run>> {
        let mut select = self.prepare_runs(&self.sql.keyed_runs)?;
        let mut runs = Vec::new();
        for (workspace, key) in keys {
            select.collect([workspace.as_str(), key.as_str()], &mut runs)?;
        }
        Ok(runs)
    }

    async fn count_live(&mut self) -> Result<u64> {
        let live = self.row(&self.sql.count_live, [], |row| row::count(row, 0))?;
        Ok(live.unwrap_or_default())
    }

    async fn insert_ready(&mut self, requests: &[NewRun]) -> Result<(Vec<bool>, Timestamp)> {
        let now = self.time();
        let [finished, insert] = steps(&self.sql.insert_ready);
        let (mut finished, mut insert) = (self.prepare(finished)?, self.prepare(insert)?);
        let mut created = Vec::with_capacity(requests.len());
        for run in requests {
            if finished.exists(params![run.workspace.as_str(), run.id.0.as_bytes()])? {
                created.push(false);
                continue;
            }
            let inserted = insert.execute(params![
                run.id.0.as_bytes(),
                run.workspace.as_str(),
                run.task.as_str(),
                run.queue.as_str(),
                run.priority.get(),
                run.payload.as_str(),
                run.metadata.as_ref().map(Json::as_str),
                run.max_attempts.get(),
                run.timeout_seconds.map(|seconds| to_i32(seconds.get())),
                run.retry.map(retry_text),
                now.as_microsecond(),
            ])?;
            created.push(inserted > 0);
        }
        Ok((created, now))
    }

    async fn insert_runs(&mut self, runs: &[Run]) -> Result<()> {
        let mut insert = self.prepare(&self.sql.insert_runs)?;
        for run in runs {
            insert.execute(row::values(Columns::New, run))?;
        }
        Ok(())
    }

    async fn insert_finished(&mut self, runs: &[Run]) -> Result<()> {
        let [next, insert] = steps(&self.sql.insert_finished);
        let (mut next, mut insert) = (self.prepare(next)?, self.prepare(insert)?);
        for run in runs {
            let seq = first(&mut next, [], |row| Ok(row.get(0)?))?
                .ok_or_else(|| StoreError::Corrupt("the counter of runs is gone".into()))?;
            insert.execute(row::values(Columns::History, &Run { seq, ..run.clone() }))?;
        }
        Ok(())
    }

    async fn lock_runs(&mut self, ids: &[RunId]) -> Result<Vec<Run>> {
        let mut select = self.prepare_runs(&self.sql.lock_runs)?;
        let mut runs = Vec::new();
        for id in ids {
            select.collect([id.0.as_bytes()], &mut runs)?;
        }
        Ok(runs)
    }

    async fn lock_finished(&mut self, workspace: &WorkspaceName, ids: &[RunId]) -> Result<Vec<Run>> {
        let mut select = self.prepare_runs(&self.sql.lock_finished)?;
        let mut runs = Vec::new();
        for id in ids {
            select.collect(params![workspace.as_str(), id.0.as_bytes()], &mut runs)?;
        }
        Ok(runs)
    }

    async fn update_runs(&mut self, runs: &[Run]) -> Result<usize> {
        let mut update = self.prepare(&self.sql.update_runs)?;
        let mut updated = 0;
        for run in runs {
            updated += update.execute(row::values(Columns::Runs, run))?;
        }
        Ok(updated)
    }

    async fn end_runs(&mut self, runs: &[Run]) -> Result<usize> {
        let [insert, delete] = steps(&self.sql.end_runs);
        let (mut insert, mut delete) = (self.prepare(insert)?, self.prepare(delete)?);
        let mut ended = 0;
        for run in runs {
            insert.execute(row::values(Columns::History, run))?;
            ended += delete.execute(params![run.id.0.as_bytes(), run.revision - 1])?;
        }
        Ok(ended)
    }

    async fn revive_runs(&mut self, runs: &[Run]) -> Result<usize> {
        let [insert, delete] = steps(&self.sql.revive_runs);
        let (mut insert, mut delete) = (self.prepare(insert)?, self.prepare(delete)?);
        let mut revived = 0;
        for run in runs {
            insert.execute(row::values(Columns::Runs, run))?;
            revived += delete.execute(params![run.workspace.as_str(), run.id.0.as_bytes(), run.revision - 1])?;
        }
        Ok(revived)
    }

    async fn insert_attempts(&mut self, attempts: &[(RunId, Attempt)]) -> Result<()> {
        let mut insert = self.prepare(&self.sql.insert_attempts)?;
        for (run, Attempt { number, epoch, by, ended }) in attempts {
            // One that is still under way is in its run.
            let Some(ended) = ended else { continue };
            insert.execute(params![
                run.0.as_bytes(),
                epoch,
                number,
                by.worker.0.as_bytes(),
                by.host.as_str(),
                by.started_at.as_microsecond(),
                ended.at.as_microsecond(),
                ended.status.as_str(),
                ended.error.as_ref().map(|error| &error.code),
                ended.error.as_ref().map(|error| &error.message),
            ])?;
        }
        Ok(())
    }

    async fn insert_waits(&mut self, waits: &[(RunId, RunId)]) -> Result<()> {
        let mut insert = self.prepare(&self.sql.insert_waits)?;
        for (run, upstream) in waits {
            insert.execute([run.0.as_bytes(), upstream.0.as_bytes()])?;
        }
        Ok(())
    }

    async fn mark_awaited(&mut self, upstreams: &[RunId]) -> Result<HashMap<RunId, Option<LaneKey>>> {
        let mut update = self.prepare(&self.sql.mark_awaited)?;
        let mut marked = HashMap::new();
        for id in upstreams {
            marked.extend(first(&mut update, [id.0.as_bytes()], lane)?.map(|lane| (*id, lane)));
        }
        Ok(marked)
    }

    async fn waits_on(&mut self, upstreams: &[RunId]) -> Result<Vec<(RunId, RunId)>> {
        let mut select = self.prepare(&self.sql.waits_on)?;
        let mut waits = Vec::new();
        for upstream in upstreams {
            collect(&mut select, [upstream.0.as_bytes()], |row| Ok((row::run_id(row, 0)?, *upstream)), &mut waits)?;
        }
        Ok(waits)
    }

    async fn delete_waits(&mut self, waits: &[(RunId, RunId)]) -> Result<()> {
        let mut delete = self.prepare(&self.sql.delete_waits)?;
        for (run, upstream) in waits {
            delete.execute([run.0.as_bytes(), upstream.0.as_bytes()])?;
        }
        Ok(())
    }

    async fn delete_waits_of(&mut self, runs: &[RunId]) -> Result<()> {
        self.affected(&self.sql.delete_waits_of, runs).map(drop)
    }

    async fn waiting(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let mut select = self.prepare(&self.sql.waiting)?;
        let mut waiting = HashSet::new();
        for run in runs {
            if first(&mut select, [run.0.as_bytes()], |row| Ok(row.get(0)?))? == Some(true) {
                waiting.insert(*run);
            }
        }
        Ok(waiting)
    }

    async fn lock_lanes(&mut self, lanes: &[LaneKey]) -> Result<HashMap<LaneKey, LanePolicy>> {
        let mut select = self.prepare(&self.sql.lock_lanes)?;
        let mut policies = HashMap::new();
        for key in lanes {
            let policy = first(&mut select, names(key), |row| row::word(row, 0, LanePolicy::from_word))?;
            policies.insert(key.clone(), policy.unwrap_or_default());
        }
        Ok(policies)
    }

    async fn set_lane_policy(&mut self, lane: &LaneKey, policy: LanePolicy) -> Result<()> {
        let [workspace, name] = names(lane);
        self.execute(&self.sql.set_lane_policy, [workspace, name, policy.as_str()]).map(drop)
    }

    async fn insert_holds(&mut self, holds: &[(RunId, LaneKey)]) -> Result<()> {
        let mut insert = self.prepare(&self.sql.insert_holds)?;
        for (run, (workspace, lane)) in holds {
            insert.execute(params![run.0.as_bytes(), workspace.as_str(), lane.as_str()])?;
        }
        Ok(())
    }

    async fn delete_holds(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        self.affected(&self.sql.delete_holds, runs)
    }

    async fn delete_lane_holds(&mut self, lane: &LaneKey) -> Result<usize> {
        self.execute(&self.sql.delete_lane_holds, names(lane))
    }

    async fn lane_fronts(&mut self, lanes: &[LaneKey]) -> Result<Vec<Front>> {
        let mut select = self.prepare(&self.sql.lane_fronts)?;
        let mut fronts = Vec::new();
        for key in lanes {
            let read = |row: &Row<'_>| {
                let (ready, first) = (row::maybe_run_id(row, 1)?, row::maybe_run_id(row, 2)?);
                Ok(Front { closed: row.get(0)?, ready, first })
            };
            collect(&mut select, names(key), read, &mut fronts)?;
        }
        Ok(fronts)
    }

    async fn lane_demote(&mut self, runs: &[RunId]) -> Result<HashSet<RunId>> {
        self.affected(&self.sql.lane_demote, runs)
    }

    async fn lane_promote(&mut self, runs: &[RunId]) -> Result<()> {
        self.affected(&self.sql.lane_promote, runs).map(drop)
    }

    async fn lane_claim(&mut self, runs: &[RunId], request: &ClaimRequest) -> Result<Vec<Run>> {
        let now = self.time();
        let mut update = self.prepare_runs(&self.sql.lane_claim)?;
        let mut started = Vec::new();
        for run in runs {
            let params = params![
                run.0.as_bytes(),
                request.taker.worker.0.as_bytes(),
                request.taker.host.as_str(),
                now.as_microsecond(),
                later(now, request.lease_ttl).as_microsecond(),
                request.queues.is_empty(),
                array(&request.queues),
                request.tasks.is_none(),
                array(request.tasks.as_deref().unwrap_or_default()),
            ];
            update.collect(params, &mut started)?;
        }
        Ok(started)
    }

    async fn is_idle(&mut self, interest: &Interest) -> Result<bool> {
        let orphans = self.rows("select 1 from runs where orphaned_at is not null limit 1", [], |_| Ok(()))?;
        Ok(orphans.is_empty() && self.look_for_streams(interest)?.is_empty())
    }

    async fn claim_known(&mut self, _: &ClaimRequest) -> Result<Option<Claim>> {
        Ok(None)
    }

    async fn adopt(&mut self, request: &ClaimRequest) -> Result<(Vec<(Run, Timestamp)>, Ready)> {
        Ok((self.adopt_orphans(request)?, self.ready_streams(&Interest::of(request)).await?))
    }

    async fn ready_streams(&mut self, interest: &Interest) -> Result<Ready> {
        Ok(Ready { streams: self.look_for_streams(interest)?, complete: true })
    }

    async fn lock_rooms(&mut self, queues: &[QueueKey]) -> Result<Vec<Room>> {
        let mut select = self.prepare(&self.sql.lock_rooms)?;
        let mut rooms = Vec::new();
        for (workspace, queue) in queues {
            let read = |row: &Row<'_>| {
                let free = usize::try_from(row::count(row, 0)?).unwrap_or(usize::MAX);
                Ok(Room { workspace: workspace.clone(), queue: queue.clone(), free })
            };
            collect(&mut select, [workspace.as_str(), queue.as_str()], read, &mut rooms)?;
        }
        Ok(rooms)
    }

    async fn ready_places(&mut self, turns: &[Turn]) -> Result<Vec<Place>> {
        let mut select = self.prepare(&self.sql.ready_places)?;
        let mut places = Vec::new();
        for (number, Turn { stream, take }) in turns.iter().enumerate() {
            let read = |row: &Row<'_>| {
                Ok(Place { urgency: row.get(0)?, seq: row.get(1)?, turn: number, may_go_ahead: row.get(2)? })
            };
            let StreamKey { workspace, task, queue } = stream;
            let params = params![workspace.as_str(), task.as_str(), queue.as_str(), limit(*take)];
            collect(&mut select, params, read, &mut places)?;
        }
        Ok(places)
    }

    async fn claim(&mut self, turns: &[Turn], request: &ClaimRequest) -> Result<Vec<Run>> {
        let (now, taker) = (self.time(), &request.taker);
        let mut update = self.prepare_runs(&self.sql.claim)?;
        let mut runs = Vec::new();
        for Turn { stream: StreamKey { workspace, task, queue }, take } in turns {
            let params = params![
                workspace.as_str(),
                queue.as_str(),
                limit(*take),
                taker.worker.0.as_bytes(),
                taker.host.as_str(),
                now.as_microsecond(),
                later(now, request.lease_ttl).as_microsecond(),
                task.as_str(),
                request.ahead.is_some(),
            ];
            update.collect(params, &mut runs)?;
        }
        Ok(runs)
    }

    async fn renew(&mut self, leases: &[Renew], ttl: SignedDuration) -> Result<HashMap<Lease, Renewal>> {
        let now = self.time();
        let until = later(now, ttl).as_microsecond();
        let [begin, renew] = steps(&self.sql.renew);
        let (mut begin, mut renew) = (self.prepare(begin)?, self.prepare(renew)?);
        let mut held = HashMap::new();
        for Renew { lease, began } in leases {
            let (id, epoch, micros) = (lease.run.0.as_bytes(), lease.epoch, now.as_microsecond());
            if let Some(ago) = began {
                begin.execute(params![id, epoch, micros, earlier(now, *ago).as_microsecond()])?;
            }
            let stop = first(&mut renew, params![id, epoch, micros, until], |row| {
                Ok(row.get::<_, Option<String>>(0)?.as_deref().and_then(Stop::from_word))
            })?;
            held.extend(stop.map(|stop| (*lease, Renewal::Renewed { stop })));
        }
        Ok(held)
    }

    async fn finish_plain(&mut self, finishes: &[&Finish]) -> Result<Ended> {
        let time = self.time();
        let now = time.as_microsecond();
        let [select, insert, delete] = steps(&self.sql.finish_plain);
        let (mut select, mut insert, mut delete) =
            (self.prepare(select)?, self.prepare(insert)?, self.prepare(delete)?);
        let mut ended = Ended::default();
        for Finish { lease: Lease { run, epoch }, outcome, ran, .. } in finishes {
            let held = first(&mut select, params![run.0.as_bytes(), epoch, now], |row| {
                Ok((lane(row)?, row.get::<_, i64>(2)?, row.get::<_, bool>(3)?))
            })?;
            let Some((lane, seq, limited)) = held else { continue };
            let began = earlier(time, *ran).as_microsecond();
            insert.execute(params![seq, now, outcome.output().map(Json::as_str), began])?;
            delete.execute([seq])?;
            ended.runs.insert(*run);
            ended.lanes.extend(lane);
            ended.limited |= limited;
        }
        Ok(ended)
    }

    async fn any_limited(&mut self, queues: &[QueueKey]) -> Result<bool> {
        let mut select = self.prepare(&self.sql.any_limited)?;
        for (workspace, queue) in queues {
            if first(&mut select, [workspace.as_str(), queue.as_str()], |row| Ok(row.get(0)?))? == Some(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn append(&mut self, run: &Run, events: &[NewEvent], now: Timestamp) -> Result<i64> {
        let [last, insert] = steps(&self.sql.append);
        let id = run.id.0.as_bytes();
        let mut seq: i64 = self.row(last, [id], |row| Ok(row.get(0)?))?.unwrap_or_default();
        let mut insert = self.prepare(insert)?;
        for NewEvent { kind, data } in events {
            seq += 1;
            insert.execute(params![id, seq, now.as_microsecond(), run.attempt, kind.as_str(), data.as_str()])?;
        }
        Ok(seq)
    }

    async fn insert_token(&mut self, token: &Token, hash: &TokenHash) -> Result<bool> {
        let params = params![
            token.id.0.as_bytes(),
            hash.0,
            token.workspace.as_ref().map(WorkspaceName::as_str),
            token.name.as_str(),
            token.role.as_str(),
            token.created_at.as_microsecond(),
            token.expires_at.map(Timestamp::as_microsecond),
        ];
        Ok(self.execute(&self.sql.insert_token, params)? > 0)
    }

    async fn token_exists(&mut self, token: TokenId) -> Result<bool> {
        let exists = self.row(&self.sql.token_exists, [token.0.as_bytes()], |row| Ok(row.get(0)?))?;
        Ok(exists.unwrap_or_default())
    }

    async fn revoke_token(&mut self, token: TokenId) -> Result<bool> {
        let params = params![token.0.as_bytes(), self.time().as_microsecond()];
        Ok(self.execute(&self.sql.revoke_token, params)? > 0)
    }

    async fn reap(&mut self, rows: usize) -> Result<Vec<RunId>> {
        let params = params![self.time().as_microsecond(), limit(rows)];
        let mut reaped = self.rows(&self.sql.reap, params, |row| Ok((row.get::<_, i64>(0)?, row::run_id(row, 1)?)))?;
        reaped.sort();
        Ok(reaped.into_iter().map(|(_, id)| id).collect())
    }

    async fn promote(&mut self, rows: usize) -> Result<Vec<FoundDue>> {
        self.rows(&self.sql.promote, params![self.time().as_microsecond(), limit(rows)], |row| {
            Ok(FoundDue { lane: lane(row)?, schedule: row::maybe_uuid(row, 2)?.map(ScheduleId) })
        })
    }

    async fn next_due(&mut self) -> Result<Option<SignedDuration>> {
        let next = self.row(&self.sql.next_due, [], |row| row::at(row, 0))?;
        Ok(next.map(|at| until(at, self.time())))
    }

    async fn overdue_runs(&mut self, grace: SignedDuration, rows: usize) -> Result<Vec<Run>> {
        // The time before which an attempt's own limit must have been over
        let over = from_micros(back(self.time(), grace)).as_microsecond();
        self.select_runs(&self.sql.overdue_runs, params![over, limit(rows)])
    }

    async fn prune_finished(&mut self, kept: SignedDuration, rows: usize) -> Result<usize> {
        let [history, attempts, events, waits] = steps(&self.sql.prune_finished);
        let params = params![back(self.time(), kept), limit(rows)];
        let pruned = self.rows(history, params, |row| row::run_id(row, 0))?;
        for statement in [attempts, events, waits] {
            self.affected(statement, &pruned)?;
        }
        Ok(pruned.len())
    }

    async fn prune_idempotency(&mut self, rows: usize) -> Result<usize> {
        self.execute(&self.sql.prune_idempotency, params![self.time().as_microsecond(), limit(rows)])
    }

    async fn prune_workers(&mut self, retention: &Retention) -> Result<usize> {
        self.execute(&self.sql.prune_workers, [back(self.time(), retention.workers)])
    }

    async fn prune_audit(&mut self, kept: SignedDuration, rows: usize) -> Result<usize> {
        self.execute(&self.sql.prune_audit, params![back(self.time(), kept), limit(rows)])
    }

    async fn prune_lanes(&mut self, rows: usize) -> Result<()> {
        self.execute(&self.sql.prune_lanes, [limit(rows)]).map(drop)
    }
}

impl Session<'_> {
    /// Runs a statement for each of these runs; answers with those for which it changed a row.
    fn affected(&self, sql: &str, runs: &[RunId]) -> Result<HashSet<RunId>> {
        let mut statement = self.prepare(sql)?;
        let mut affected = HashSet::new();
        for run in runs {
            if statement.execute([run.0.as_bytes()])? > 0 {
                affected.insert(*run);
            }
        }
        Ok(affected)
    }
}

fn names((workspace, lane): &LaneKey) -> [&str; 2] {
    [workspace.as_str(), lane.as_str()]
}

/// Workspace and lane, where there is a lane.
fn lane(row: &Row<'_>) -> Result<Option<LaneKey>> {
    let Some(lane) = row.get::<_, Option<String>>(1)? else { return Ok(None) };
    let workspace = row::name(row, 0, WorkspaceName::parse)?;
    Ok(Some((workspace, LaneName::parse(lane).map_err(bad_name)?)))
}

/// Names as a statement takes them.
pub(super) fn array(names: &[impl ToString]) -> Array {
    Array::new(names.iter().map(|name| Value::from(name.to_string())).collect())
}
