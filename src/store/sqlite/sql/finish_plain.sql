-- ?1 id, ?2 epoch, ?3 now
select
  workspace, lane, seq,
  exists (
    select 1 from queues
    where queues.workspace = runs.workspace and queues.name = runs.queue and queues.concurrency is not null
  )
from runs
where id = ?1 and epoch = ?2 and lease_expires_at > ?3 and awaited = 0 and schedule_id is null
-- then
-- ?1 seq, ?2 now, ?3 output, ?4 when it began, if it was leased ahead. Without `or fail` SQLite would guard the statement by a
-- savepoint, which the job has.
insert or fail into history (
  {both.columns but status error_code error_message schedule_id slot grant_id attempt started_at attempt_started_at},
  attempt, started_at, attempt_started_at, status, finished_at, output
)
select
  {both.columns but status error_code error_message schedule_id slot grant_id attempt started_at attempt_started_at},
  attempt + (blocked_by is not null),
  coalesce(started_at, max(attempt_started_at, ?4)),
  case when blocked_by is null then attempt_started_at else max(attempt_started_at, ?4) end,
  'succeeded', ?2, ?3
from runs
where seq = ?1
-- then
delete from runs where seq = ?1
