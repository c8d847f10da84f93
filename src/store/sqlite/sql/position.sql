-- ?1 workspace, ?2 queue
select queues.paused, queues.concurrency, busy.running, busy.since
from (
  select count(*) as running, min(attempt_started_at) as since
  from runs where workspace = ?1 and queue = ?2 and status = 'running'
) as busy
left join queues on queues.workspace = ?1 and queues.name = ?2
-- then those before it: ?1 workspace, ?2 queue, ?3 priority, ?4 seq, ?5 most. Two ranges of the index for each task, so that no
-- other is read.
with recursive tasks (task) as (
  select min(task) from runs where workspace = ?1 and status in ('queued', 'retrying') and blocked_by is null
  union all
  select (
    select min(task) from runs
    where workspace = ?1 and task > tasks.task and status in ('queued', 'retrying') and blocked_by is null
  )
  from tasks
  where task is not null
)
select min(?5, coalesce(sum((
  select count(*) from (
    select 1 from runs
    where workspace = ?1 and task = tasks.task and queue = ?2 and status in ('queued', 'retrying') and blocked_by is null
      and priority > ?3
    limit ?5
  )
) + (
  select count(*) from (
    select 1 from runs
    where workspace = ?1 and task = tasks.task and queue = ?2 and status in ('queued', 'retrying') and blocked_by is null
      and priority = ?3 and seq < ?4
    limit ?5
  )
)), 0))
from tasks
where task is not null
-- then what workers execute: ?1 queue, ?2 workers
select worker, count(*), sum(queue = ?1), min(attempt_started_at)
from runs
where status = 'running' and lease_expires_at is not null and worker in (select value from rarray(?2))
group by worker
order by worker
