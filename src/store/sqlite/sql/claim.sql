-- ?1 workspace, ?2 queue, ?3 take, ?4 worker, ?5 host, ?6 now, ?7 lease_expires_at, ?8 task, ?9 whether ahead of the start.
-- One writer, so no SKIP LOCKED.
update or fail runs set
  revision = revision + 1, status = case when ?9 then 'queued' else 'running' end,
  blocked_by = case when ?9 then 'worker' end, attempt = attempt + 1 - ?9, epoch = epoch + 1, worker = ?4, host = ?5,
  started_at = case when ?9 then started_at else coalesce(started_at, ?6) end, attempt_started_at = ?6,
  lease_expires_at = ?7
where seq in (
  select seq from runs
  where workspace = ?1 and task = ?8 and queue = ?2 and status in ('queued', 'retrying') and blocked_by is null
    and (start_by is null or started_at is not null or start_by > ?6)
  order by priority desc, seq
  limit ?3
)
and (not ?9 or (status = 'queued' and attempt + 1 < max_attempts and lane is null and schedule_id is null
  and start_by is null))
returning *
