with ended as (
    delete from runlane.runs
    where id = any($1) and epoch = $2 and not awaited and schedule_id is null
        and lease_expires_at > coalesce($4, clock_timestamp())
    returning id, seq, workspace, task, queue, lane, priority, payload, metadata, key, attempt, max_attempts,
        attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at, started_at,
        attempt_started_at, worker, host, awaited, postponements
), kept as (
    insert into runlane.history (id, seq, workspace, task, queue, lane, priority, payload, metadata, key, attempt,
        max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
        started_at, attempt_started_at, worker, host, awaited, postponements, status, finished_at, output)
    select ended.*, 'succeeded', coalesce($4, clock_timestamp()), said.output
    from ended left join unnest($1::uuid[], $3::json[]) as said (id, output) on said.id = ended.id
)
-- All in one line, since a line costs more than what is in it.
select array_agg(id), array_agg(workspace) filter (where lane is not null), array_agg(lane) filter (where lane is not null),
    bool_or((workspace, queue) in (
        select settings.workspace, settings.name from runlane.queues as settings where settings.concurrency is not null))
from ended
