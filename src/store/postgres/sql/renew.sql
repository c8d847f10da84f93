update runlane.runs
set revision = revision + 1, lease_expires_at = coalesce($3, clock_timestamp()) + $4 * interval '1 microsecond'
where id = any($1) and epoch = $2 and lease_expires_at > coalesce($3, clock_timestamp())
returning id, stop
