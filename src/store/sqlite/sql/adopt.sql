-- ?1 worker, ?2 host, ?3 lease_expires_at, ?4 orphaned by then for other hosts, ?5 all queues, ?6 queues, ?7 capacity
update runs set
  worker = ?1, host = ?2, epoch = epoch + 1, lease_expires_at = ?3, orphaned_at = null
where seq in (
  select seq from runs
  where orphaned_at is not null
    and (host = ?2 or orphaned_at <= ?4)
    and (?5 or queue in (select value from rarray(?6)))
  order by priority desc, seq
  limit ?7
)
returning
  id, seq, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, attempt,
  max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
  started_at, attempt_started_at, worker, host, lease_expires_at, orphaned_at, stop, error_code, error_message,
  awaited, schedule_id, slot, grant_id, postponements, null, null
