-- ?1 workspace, ?2 queue, ?3 take, ?4 worker, ?5 host, ?6 now, ?7 lease_expires_at, ?8 task. One writer, so no SKIP LOCKED.
update or fail runs set
  revision = revision + 1, status = 'running', attempt = attempt + 1, epoch = epoch + 1, worker = ?4, host = ?5,
  started_at = coalesce(started_at, ?6), attempt_started_at = ?6, lease_expires_at = ?7
where seq in (
  select seq from runs
  where workspace = ?1 and task = ?8 and queue = ?2 and status in ('queued', 'retrying') and blocked_by is null
  order by priority desc, seq
  limit ?3
)
returning *
