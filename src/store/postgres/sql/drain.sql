update runlane.workers
set draining = draining or left_at is null,
    draining_since = case when left_at is null
        then coalesce(draining_since, $2, clock_timestamp()) else draining_since end
where id = $1
returning *, coalesce($2, clock_timestamp()) as read_at
