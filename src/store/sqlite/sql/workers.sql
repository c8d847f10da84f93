select id, host, pid, version, queues, slots, busy, queue_limits, tasks, beat_ms, leaving, started_at, seen_at, draining,
  draining_since, left_at
from workers where left_at is null order by id
