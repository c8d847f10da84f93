-- ?1 id, ?2 epoch, ?3 now
select
  workspace, lane, seq,
  exists (
    select 1 from queues
    where queues.workspace = runs.workspace and queues.name = runs.queue and queues.concurrency is not null
  )
from runs
where id = ?1 and epoch = ?2 and status = 'running' and lease_expires_at > ?3 and awaited = 0
  and schedule_id is null
-- then
-- ?1 seq, ?2 now, ?3 output. Without `or fail` SQLite would guard the statement by a savepoint, which the job has.
insert or fail into history (
  {both.columns but status error_code error_message schedule_id slot grant_id}, status, finished_at, output
)
select {both.columns but status error_code error_message schedule_id slot grant_id}, 'succeeded', ?2, ?3
from runs
where seq = ?1
-- then
delete from runs where seq = ?1
