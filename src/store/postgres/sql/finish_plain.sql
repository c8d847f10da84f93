with ended as (
    delete from runlane.runs
    where id = any($1) and epoch = $2 and not awaited and schedule_id is null
        and lease_expires_at > coalesce($4, clock_timestamp())
    returning *
)
insert into runlane.history (id, seq, workspace, task, queue, lane, priority, status, payload, metadata, key, attempt,
    max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
    started_at, attempt_started_at, worker, host, error_code, error_message, awaited, finished_at, output)
select ended.id, seq, workspace, task, queue, lane, priority, 'succeeded', payload, metadata, key, attempt,
    max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
    started_at, attempt_started_at, worker, host, null, null, awaited, coalesce($4, clock_timestamp()), said.output
from ended left join unnest($1::uuid[], $3::json[]) as said (id, output) on said.id = ended.id
returning id, workspace, lane, (workspace, queue) in (
    select settings.workspace, settings.name from runlane.queues as settings where settings.concurrency is not null)
