-- ?1 workspace
select name, max(paused), max(concurrency), sum(running), sum(waiting)
from (
  select name, paused, concurrency, 0 as running, 0 as waiting from queues where workspace = ?1
  union all
  select
    queue, 0, null,
    count(*) filter (where status = 'running'),
    count(*) filter (where status in ('queued', 'retrying'))
  from runs
  where workspace = ?1
  group by queue
)
group by name
order by name
