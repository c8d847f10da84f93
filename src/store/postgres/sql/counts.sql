select workspace, queue, status, count(*) as runs,
    count(*) filter (where status in ('queued', 'retrying') and blocked_by is null) as ready,
    min(available_at) filter (where status in ('queued', 'retrying') and blocked_by is null) as oldest_ready
from runlane.runs group by workspace, queue, status order by workspace, queue, status
