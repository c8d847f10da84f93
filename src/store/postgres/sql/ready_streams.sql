-- A skip scan from one stream to the next along the index, instead of reading every ready run. Skips other tasks than $1 (null: all),
-- other queues than $2 (none: all), and all but $3 streams of each workspace. For the workspaces in $4 to $6, the scan before ended
-- at that stream, and this one continues after it. A name has no control characters, so a name followed by one sorts right after
-- it. A row without a name means that there are orphans.
with recursive stream as (
    select '' collate "C" as workspace, '' collate "C" as task, '' collate "C" as queue, false as wanted, 0 as found,
        '' collate "C" as from_workspace, '' collate "C" as from_task, '' collate "C" as from_queue
    union all
    select next.workspace, next.task, next.queue, step.wanted, step.found,
        case when step.leaves then next.workspace || chr(1) else next.workspace end,
        case when step.leaves then ''
            when step.skips then last_seen.task
            when step.other_task then step.next_task
            when step.other_queue and step.next_queue is null then next.task || chr(1)
            else next.task end,
        case when step.leaves or step.other_task then ''
            when step.skips then last_seen.queue || chr(1)
            when step.other_queue then coalesce(step.next_queue, '')
            else next.queue || chr(1) end
    from stream
    cross join lateral (
        select run.workspace, run.task, run.queue from runlane.runs as run
        where run.status in ('queued', 'retrying') and run.blocked_by is null
            and (run.workspace, run.task, run.queue) >= (stream.from_workspace, stream.from_task, stream.from_queue)
        order by run.workspace, run.task, run.queue limit 1) as next
    left join unnest($4::text[], $5::text[], $6::text[]) as last_seen (workspace, task, queue)
        on last_seen.workspace = next.workspace
            and (next.task, next.queue) <= (last_seen.task collate "C", last_seen.queue collate "C")
    cross join lateral (
        select last_seen.workspace is not null as skips,
            not coalesce(next.task = any($1::text[]), true) as other_task,
            cardinality($2::text[]) > 0 and not next.queue = any($2::text[]) as other_queue,
            (select min(named.task collate "C") from unnest($1::text[]) as named (task)
                where named.task collate "C" > next.task) as next_task,
            (select min(named.queue collate "C") from unnest($2::text[]) as named (queue)
                where named.queue collate "C" > next.queue) as next_queue,
            case when next.workspace = stream.workspace then stream.found else 0 end as before) as seen
    cross join lateral (
        select seen.*, not seen.skips and not seen.other_task and not seen.other_queue as wanted) as rated
    cross join lateral (
        select rated.*, rated.before + rated.wanted::integer as found,
            not rated.skips and (rated.other_task and rated.next_task is null or rated.before + rated.wanted::integer >= $3)
                as leaves) as step
)
select stream.workspace, stream.task, stream.queue, settings.paused is true as paused,
    settings.concurrency is not null as limited
from stream left join runlane.queues as settings
    on settings.workspace = stream.workspace and settings.name = stream.queue
where stream.wanted
union all (select null, null, null, null, null from runlane.runs where orphaned_at is not null limit 1)
-- then, when the streams are known and where their last claims ended: those with more to claim after that
select stream.workspace, stream.task, stream.queue, settings.paused is true as paused,
    settings.concurrency is not null as limited
from unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::bigint[])
    as stream (workspace, task, queue, urgency, seq)
left join runlane.queues as settings
    on settings.workspace = stream.workspace and settings.name = stream.queue
cross join lateral (
    select from runlane.runs as run
    where run.workspace = stream.workspace and run.task = stream.task and run.queue = stream.queue
        and run.status in ('queued', 'retrying') and run.blocked_by is null
        and (-run.priority, run.seq) > (stream.urgency, stream.seq)
    order by -run.priority, run.seq limit 1) as more
union all (select null, null, null, null, null from runlane.runs where orphaned_at is not null limit 1)
