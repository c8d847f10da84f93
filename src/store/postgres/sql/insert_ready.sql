-- New runs that are ready at once, except those whose id is taken. Each is looked up by itself: in a join, the planner
-- might read all runs instead. Live and finished ones are looked up by one statement, so that a run that is just moving
-- into history is seen exactly once; one that comes in at the same moment is a conflict.
insert into runlane.runs (id, workspace, task, queue, priority, status, payload, metadata, max_attempts, attempts_granted,
    timeout_seconds, retry, available_at, requested_at)
select id, workspace, task, queue, priority, 'queued', payload, metadata, max_attempts, max_attempts,
    timeout_seconds, retry, moment.now, moment.now
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::smallint[], $6::json[], $7::json[], $8::integer[],
    $9::integer[], $10::text[])
    as new (id, workspace, task, queue, priority, payload, metadata, max_attempts, timeout_seconds, retry),
    (select coalesce($11, clock_timestamp()) as now) as moment
where (select live.id from runlane.runs as live where live.id = new.id limit 1) is null
    and (select past.id from runlane.history as past
        where past.workspace = new.workspace and past.id = new.id limit 1) is null
on conflict (id) do nothing
returning id, requested_at
