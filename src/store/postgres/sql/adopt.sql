-- Workers that lack the task ($8, all tasks when null) come last: they can only say that the work is lost.
update runlane.runs as run
set revision = run.revision + 1, epoch = run.epoch + 1, worker = $1, host = $2, orphaned_at = null,
    lease_expires_at = coalesce($3, clock_timestamp()) + $4 * interval '1 microsecond'
from (select ctid as place, revision, orphaned_at as since from runlane.runs
    where orphaned_at is not null and (cardinality($5::text[]) = 0 or queue = any($5))
        and case when $8::text[] is null or task = any($8)
            then host = $2 or orphaned_at + $6 * interval '1 microsecond' <= coalesce($3, clock_timestamp())
            else orphaned_at + $9 * interval '1 microsecond' <= coalesce($3, clock_timestamp()) end
    order by -priority, seq limit $7 for update skip locked) as orphan
where run.ctid = orphan.place and run.revision = orphan.revision
returning run.*, orphan.since
