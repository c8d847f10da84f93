select
  workspace, queue, status, count(*),
  count(*) filter (where status in ('queued', 'retrying') and blocked_by is null),
  min(available_at) filter (where status in ('queued', 'retrying') and blocked_by is null)
from runs
group by workspace, queue, status
order by workspace, queue, status
