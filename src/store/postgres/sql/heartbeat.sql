-- A worker that beats after it left starts anew.
insert into runlane.workers as worker (id, host, pid, version, queues, slots, busy, queue_limits, tasks, beat_ms, leaving,
    draining, draining_since, started_at, seen_at)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, case when $11 then now.at end, now.at, now.at
from (select coalesce($12, clock_timestamp()) as at) as now
on conflict (id) do update
    set host = excluded.host, pid = excluded.pid, version = excluded.version, queues = excluded.queues,
        slots = excluded.slots, busy = excluded.busy, queue_limits = excluded.queue_limits, tasks = excluded.tasks,
        beat_ms = excluded.beat_ms, leaving = excluded.leaving,
        draining = excluded.leaving or (worker.draining and worker.left_at is null),
        draining_since = coalesce(
            case when worker.left_at is null then worker.draining_since end, excluded.draining_since),
        started_at = case when worker.left_at is null then worker.started_at else excluded.started_at end,
        seen_at = excluded.seen_at, left_at = null
returning draining
