-- Statements that both layouts share. `-- name:` lines cut the file into statements.

-- name: submit
insert into runs (id, workspace, task, queue, lane, status, priority, payload, max_attempts, available_at, requested_at)
select id, workspace, task, queue, lane, 'queued', priority, payload::json, 3, clock_timestamp(), clock_timestamp()
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[])
    as new (id, workspace, task, queue, lane, priority, payload)

-- Starts after a place in the order: $6 is the last sequence number taken; all priorities here are 0.
-- name: claim
update runs
set status = 'running', epoch = epoch + 1, attempt = attempt + 1, worker = $4, host = $5,
    started_at = clock_timestamp(), lease_expires_at = clock_timestamp() + interval '30 seconds'
where ctid = any (array(
        select ctid from runs
        where workspace = $1 and queue = $2 and status in ('queued', 'retrying') and blocked_by is null
            and (-priority, seq) > (0, $6)
        order by -priority, seq
        limit $3
        for update skip locked))
    and status in ('queued', 'retrying')
returning id, epoch, seq, workspace, task, lane, attempt, max_attempts, payload::text
