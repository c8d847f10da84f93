-- How often the work asked to be tried later.
alter table runlane.runs add column postponements integer not null default 0;
alter table runlane.history add column postponements integer not null default 0;

drop view runlane.all_runs;
create view runlane.all_runs as
    select id, seq, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, attempt,
        max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
        started_at, attempt_started_at, worker, host, lease_expires_at, orphaned_at, stop, error_code,
        error_message, awaited, schedule_id, slot, grant_id, postponements, null::timestamptz as finished_at, null::json as output
    from runlane.runs
    union all
    select id, seq, workspace, task, queue, lane, priority, status, null, payload, metadata, key, attempt,
        max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
        started_at, attempt_started_at, worker, host, null, null, null, error_code,
        error_message, awaited, schedule_id, slot, grant_id, postponements, finished_at, output
    from runlane.history;
