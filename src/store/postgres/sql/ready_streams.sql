-- Jumps from one stream to the next along the index instead of reading every ready run. Where there are orphans, a line without
-- a name says so.
with recursive streams as (
    (select workspace, queue from runlane.runs
        where status in ('queued', 'retrying') and blocked_by is null
        order by workspace, queue limit 1)
    union all
    select next.workspace, next.queue from streams cross join lateral (
        select workspace, queue from runlane.runs
        where status in ('queued', 'retrying') and blocked_by is null
            and (workspace, queue) > (streams.workspace, streams.queue)
        order by workspace, queue limit 1) as next
)
select streams.workspace, streams.queue, settings.paused is true as paused, settings.concurrency is not null as limited
from streams left join runlane.queues as settings
    on settings.workspace = streams.workspace and settings.name = streams.queue
union all (select null, null, null, null from runlane.runs where orphaned_at is not null limit 1)
-- then, when the streams are known and where their last claims ended: those with more to claim after that
select stream.workspace, stream.queue, settings.paused is true as paused, settings.concurrency is not null as limited
from unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[]) as stream (workspace, queue, urgency, seq)
left join runlane.queues as settings
    on settings.workspace = stream.workspace and settings.name = stream.queue
cross join lateral (
    select from runlane.runs as run
    where run.workspace = stream.workspace and run.queue = stream.queue
        and run.status in ('queued', 'retrying') and run.blocked_by is null
        and (-run.priority, run.seq) > (stream.urgency, stream.seq)
    order by -run.priority, run.seq limit 1) as more
union all (select null, null, null, null from runlane.runs where orphaned_at is not null limit 1)
