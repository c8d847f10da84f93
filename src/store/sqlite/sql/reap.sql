-- ?1 now, ?2 limit. A run that was leased ahead may have begun, so its attempt counts.
update runs set
  revision = revision + 1, orphaned_at = lease_expires_at, lease_expires_at = null, status = 'running', blocked_by = null,
  attempt = attempt + (blocked_by is not null), started_at = coalesce(started_at, attempt_started_at)
where seq in (
  select seq from runs indexed by runs_running
  where (status = 'running' or blocked_by = 'worker') and lease_expires_at <= ?1
  order by seq
  limit ?2
)
returning seq, id
