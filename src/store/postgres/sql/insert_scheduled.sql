-- As insert_runs, for runs that owe themselves to a schedule: apart, so that others do not pay for it.
insert into runlane.runs (id, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key,
    max_attempts, attempts_granted, timeout_seconds, retry, available_at, awaited, requested_at,
    schedule_id, slot, grant_id)
select id, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key,
    max_attempts, max_attempts, timeout_seconds, retry, available_at, awaited, $17,
    schedule_id, slot, grant_id
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[], $8::text[],
    $9::json[], $10::json[], $11::text[], $12::integer[], $13::integer[], $14::text[], $15::timestamptz[],
    $16::boolean[], $18::uuid[], $19::timestamptz[], $20::uuid[])
    as new (id, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key,
        max_attempts, timeout_seconds, retry, available_at, awaited, schedule_id, slot, grant_id)
