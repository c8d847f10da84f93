update runlane.runs
set epoch = epoch + 1, worker = $1, host = $2, orphaned_at = null,
    lease_expires_at = coalesce($3, clock_timestamp()) + $4 * interval '1 microsecond'
where ctid = any(array(
    select ctid from runlane.runs
    where orphaned_at is not null and (cardinality($5::text[]) = 0 or queue = any($5))
        and (host = $2 or orphaned_at + $6 * interval '1 microsecond' <= coalesce($3, clock_timestamp()))
    order by -priority, seq limit $7 for update skip locked))
returning *
