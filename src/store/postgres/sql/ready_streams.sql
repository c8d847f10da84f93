-- Jumps from one stream to the next along the index instead of reading every ready run.
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
select streams.workspace, streams.queue, settings.concurrency is not null as limited
from streams left join runlane.queues as settings
    on settings.workspace = streams.workspace and settings.name = streams.queue
where (cardinality($1::text[]) = 0 or streams.queue = any($1)) and settings.paused is not true
