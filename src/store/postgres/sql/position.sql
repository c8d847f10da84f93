select settings.paused is true as paused, settings.concurrency, busy.running, busy.since
from (
    select count(*) as running, min(attempt_started_at) as since
    from runlane.runs where status = 'running' and workspace = $1 and queue = $2) as busy
left join runlane.queues as settings on settings.workspace = $1 and settings.name = $2
-- then those before it
select count(*) from (
    select from runlane.runs
    where workspace = $1 and queue = $2 and status in ('queued', 'retrying') and blocked_by is null
        and (-priority, seq) < ($3, $4)
    order by -priority, seq limit $5) as ahead
-- then what workers execute
select worker, count(*) as busy, count(*) filter (where queue = $1) as in_queue, min(attempt_started_at) as since
from runlane.runs where status = 'running' and lease_expires_at is not null and worker = any($2)
group by worker order by worker
