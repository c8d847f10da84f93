-- ?1 workspace, ?2 id. There is one writer, so reading is locking.
select
  id, seq, workspace, task, queue, lane, priority, status, null, payload, metadata, key, attempt, max_attempts,
  attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at, started_at,
  attempt_started_at, worker, host, null, null, null, error_code, error_message, awaited, schedule_id, slot, grant_id, postponements,
  finished_at, output
from history
where workspace = ?1 and id = ?2
