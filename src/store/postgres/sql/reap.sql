-- A run that was leased ahead may have begun, so its attempt counts.
update runlane.runs set revision = revision + 1, orphaned_at = lease_expires_at, lease_expires_at = null,
    status = 'running', blocked_by = null, attempt = case when blocked_by = 'worker' then attempt + 1 else attempt end,
    started_at = coalesce(started_at, attempt_started_at)
where ctid = any(array(
    select ctid from runlane.runs
    where (status = 'running' or blocked_by = 'worker') and lease_expires_at <= coalesce($1, clock_timestamp())
    order by seq limit $2 for update skip locked))
    and lease_expires_at <= coalesce($1, clock_timestamp())
returning id
