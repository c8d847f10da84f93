-- ?1 workspace, ?2 id
select
  id, seq, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, attempt,
  max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
  started_at, attempt_started_at, worker, host, lease_expires_at, orphaned_at, stop, error_code, error_message,
  awaited, schedule_id, slot, grant_id, postponements, null, null
from runs
where workspace = ?1 and id = ?2
union all
select
  id, seq, workspace, task, queue, lane, priority, status, null, payload, metadata, key, attempt, max_attempts,
  attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at, started_at,
  attempt_started_at, worker, host, null, null, null, error_code, error_message, awaited, schedule_id, slot, grant_id, postponements,
  finished_at, output
from history
where workspace = ?1 and id = ?2
