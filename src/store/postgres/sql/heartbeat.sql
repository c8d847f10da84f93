insert into runlane.workers (id, host, pid, version, queues, slots, busy, started_at, seen_at)
values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, clock_timestamp()), coalesce($8, clock_timestamp()))
on conflict (id) do update
    set host = excluded.host, pid = excluded.pid, version = excluded.version, queues = excluded.queues,
        slots = excluded.slots, busy = excluded.busy, seen_at = excluded.seen_at
returning draining
