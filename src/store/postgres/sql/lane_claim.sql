-- Index scans go through ids in their order, so that is the order in which the rows are locked.
update runlane.runs
set revision = revision + 1, status = 'running', blocked_by = null, attempt = attempt + 1, epoch = epoch + 1, worker = $1, host = $2,
    started_at = coalesce(started_at, $3, clock_timestamp()),
    attempt_started_at = coalesce($3, clock_timestamp()),
    lease_expires_at = coalesce($3, clock_timestamp()) + $4 * interval '1 microsecond'
where id = any($5) and status = 'queued' and blocked_by = 'lane' and schedule_id is null
    and (start_by is null or started_at is not null or start_by > coalesce($3, clock_timestamp()))
    and (cardinality($6::text[]) = 0 or queue = any($6)) and coalesce(task = any($7::text[]), true)
    and (workspace, queue) not in (
        select settings.workspace, settings.name from runlane.queues as settings
        where settings.paused or settings.concurrency is not null)
returning *
