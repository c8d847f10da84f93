-- ?1 id, ?2 host, ?3 pid, ?4 version, ?5 queues, ?6 slots, ?7 busy, ?8 queue limits, ?9 tasks, ?10 beat, ?11 leaving, ?12 now.
-- A worker that beats after it left starts anew.
insert into workers
  (id, host, pid, version, queues, slots, busy, queue_limits, tasks, beat_ms, leaving, draining, draining_since,
  started_at, seen_at)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11, iif(?11, ?12, null), ?12, ?12)
on conflict (id) do update
set host = ?2, pid = ?3, version = ?4, queues = ?5, slots = ?6, busy = ?7, queue_limits = ?8, tasks = ?9, beat_ms = ?10,
  leaving = ?11, draining = ?11 or (draining and left_at is null),
  draining_since = coalesce(iif(left_at is null, draining_since, null), excluded.draining_since),
  started_at = iif(left_at is null, started_at, ?12), seen_at = ?12, left_at = null
returning draining
