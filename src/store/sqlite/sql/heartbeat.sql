-- ?1 id, ?2 host, ?3 pid, ?4 version, ?5 queues, ?6 slots, ?7 busy, ?8 now
insert into workers (id, host, pid, version, queues, slots, busy, started_at, seen_at, draining)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 0)
on conflict (id) do update
set host = ?2, pid = ?3, version = ?4, queues = ?5, slots = ?6, busy = ?7, seen_at = ?8
returning draining
