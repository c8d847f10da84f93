-- ?1 id, ?2 worker, ?3 host, ?4 now, ?5 lease_expires_at, ?6 all queues, ?7 queues
update runs set
  status = 'running', blocked_by = null, attempt = attempt + 1, epoch = epoch + 1, worker = ?2, host = ?3,
  started_at = coalesce(started_at, ?4), attempt_started_at = ?4, lease_expires_at = ?5
where id = ?1 and status = 'queued' and blocked_by = 'lane' and schedule_id is null
  and (?6 or queue in (select value from rarray(?7)))
  and not exists (
    select 1 from queues as settings
    where settings.workspace = runs.workspace and settings.name = runs.queue
      and (settings.paused or settings.concurrency is not null)
  )
returning
  id, seq, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, attempt,
  max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
  started_at, attempt_started_at, worker, host, lease_expires_at, orphaned_at, stop, error_code, error_message,
  awaited, schedule_id, slot, grant_id, postponements, null, null
