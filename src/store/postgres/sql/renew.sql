-- Those that were leased ahead and have begun: $5 says how long ago each of the runs $1 did. `blocked_by` is compared so that
-- the planner sees no index in it.
update runlane.runs
set revision = revision + 1, status = 'running', blocked_by = null, attempt = attempt + 1,
    attempt_started_at = greatest(attempt_started_at,
        coalesce($3, clock_timestamp()) - ($5::bigint[])[array_position($1, id)] * interval '1 microsecond'),
    started_at = coalesce(started_at, greatest(attempt_started_at,
        coalesce($3, clock_timestamp()) - ($5::bigint[])[array_position($1, id)] * interval '1 microsecond')),
    lease_expires_at = coalesce($3, clock_timestamp()) + $4 * interval '1 microsecond'
where ctid = any(array(
    select ctid from runlane.runs
    where id = any($1) and epoch = $2 and coalesce(blocked_by, '') = 'worker' and lease_expires_at > coalesce($3, clock_timestamp())
    for update skip locked))
    and epoch = $2 and coalesce(blocked_by, '') = 'worker'
-- then all. A run that somebody has locked does not keep the others waiting.
update runlane.runs
set revision = revision + 1, lease_expires_at = coalesce($3, clock_timestamp()) + $4 * interval '1 microsecond'
where ctid = any(array(
    select ctid from runlane.runs
    where id = any($1) and epoch = $2 and lease_expires_at > coalesce($3, clock_timestamp())
    for update skip locked))
    and epoch = $2 and lease_expires_at > coalesce($3, clock_timestamp())
returning id, stop
-- then, of those that were not renewed, the ones that are held all the same
select id from runlane.runs
where id = any($1) and epoch = $2 and lease_expires_at > coalesce($3, clock_timestamp())
