select settings.paused is true as paused, settings.concurrency, busy.running, busy.since
from (
    select count(*) as running, min(attempt_started_at) as since
    from runlane.runs where status = 'running' and workspace = $1 and queue = $2) as busy
left join runlane.queues as settings on settings.workspace = $1 and settings.name = $2
-- then those before it
with recursive tasks as (
    (select task from runlane.runs
        where workspace = $1 and status in ('queued', 'retrying') and blocked_by is null order by task limit 1)
    union all
    select next.task from tasks cross join lateral (
        select run.task from runlane.runs as run
        where run.workspace = $1 and run.task > tasks.task and run.status in ('queued', 'retrying') and run.blocked_by is null
        order by run.task limit 1) as next
)
select count(*) from (
    select from tasks cross join lateral (
        select from runlane.runs as run
        where run.workspace = $1 and run.task = tasks.task and run.queue = $2
            and run.status in ('queued', 'retrying') and run.blocked_by is null
            and (-run.priority, run.seq) < ($3, $4)
        order by -run.priority, run.seq limit $5) as before
    limit $5) as ahead
-- then what workers execute
select worker, count(*) as busy, count(*) filter (where queue = $1) as in_queue, min(attempt_started_at) as since
from runlane.runs where status = 'running' and lease_expires_at is not null and worker = any($2)
group by worker order by worker
