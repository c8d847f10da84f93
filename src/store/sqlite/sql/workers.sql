select id, host, pid, version, queues, slots, busy, started_at, seen_at, draining from workers order by id
