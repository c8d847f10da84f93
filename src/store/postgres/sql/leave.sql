update runlane.workers
set left_at = coalesce($2, clock_timestamp()), seen_at = coalesce($2, clock_timestamp())
where id = $1 and left_at is null
