-- ?1 id, ?2 worker, ?3 host, ?4 now, ?5 lease_expires_at, ?6 all queues, ?7 queues, ?8 all tasks,
-- ?9 tasks
update runs set
  revision = revision + 1, status = 'running', blocked_by = null, attempt = attempt + 1, epoch = epoch + 1, worker = ?2, host = ?3,
  started_at = coalesce(started_at, ?4), attempt_started_at = ?4, lease_expires_at = ?5
where id = ?1 and status = 'queued' and blocked_by = 'lane' and schedule_id is null
  and (start_by is null or started_at is not null or start_by > ?4)
  and (?6 or queue in (select value from rarray(?7))) and (?8 or task in (select value from rarray(?9)))
  and not exists (
    select 1 from queues as settings
    where settings.workspace = runs.workspace and settings.name = runs.queue
      and (settings.paused or settings.concurrency is not null)
  )
returning *
