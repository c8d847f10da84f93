-- ?1 id, ?2 epoch, ?3 now, ?4 when it began: a run that was leased ahead and has begun
update runs set
  revision = revision + 1, status = 'running', blocked_by = null, attempt = attempt + 1,
  attempt_started_at = max(attempt_started_at, ?4), started_at = coalesce(started_at, max(attempt_started_at, ?4))
where id = ?1 and epoch = ?2 and blocked_by = 'worker' and lease_expires_at > ?3
-- then ?1 id, ?2 epoch, ?3 now, ?4 lease_expires_at
update runs set revision = revision + 1, lease_expires_at = ?4
where id = ?1 and epoch = ?2 and lease_expires_at > ?3
returning stop
