update runlane.runs set revision = revision + 1, orphaned_at = lease_expires_at, lease_expires_at = null
where ctid = any(array(
    select ctid from runlane.runs
    where status = 'running' and lease_expires_at <= coalesce($1, clock_timestamp())
    order by seq limit $2 for update skip locked))
    and lease_expires_at <= coalesce($1, clock_timestamp())
returning id
