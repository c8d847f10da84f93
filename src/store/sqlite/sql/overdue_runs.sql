-- ?1 the time by which the limit must have been reached, ?2 limit
select
  id, seq, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, attempt,
  max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
  started_at, attempt_started_at, worker, host, lease_expires_at, orphaned_at, stop, error_code, error_message,
  awaited, schedule_id, slot, grant_id, postponements, null, null
from runs indexed by runs_running
where status = 'running' and attempt_started_at + timeout_seconds * 1000000 <= ?1
order by seq
limit ?2
