-- ?1 id, ?2 now
update workers
set draining = iif(left_at is null, 1, draining),
  draining_since = iif(left_at is null, coalesce(draining_since, ?2), draining_since)
where id = ?1
returning id, host, pid, version, queues, slots, busy, queue_limits, tasks, beat_ms, leaving, started_at, seen_at, draining,
  draining_since, left_at
