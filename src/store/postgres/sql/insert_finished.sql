-- The place in the order of submission comes from the live runs' own counter; $2 holds none yet.
insert into runlane.history (id, seq, workspace, task, queue, lane, priority, status, payload, metadata, key, attempt,
    max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
    started_at, attempt_started_at, worker, host, error_code, error_message, awaited, schedule_id, slot,
    grant_id, postponements, finished_at, output)
select id, nextval('runlane.blocks') * 4096, workspace, task, queue, lane, priority, status,
    payload, metadata, key, attempt, max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry,
    available_at, requested_at, started_at, attempt_started_at, worker, host, error_code, error_message, awaited,
    schedule_id, slot, grant_id, postponements, finished_at, output
from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::text[],
    $9::json[], $10::json[], $11::text[], $12::integer[], $13::integer[], $14::integer[], $15::integer[],
    $16::bigint[], $17::integer[], $18::text[], $19::timestamptz[], $20::timestamptz[], $21::timestamptz[],
    $22::timestamptz[], $23::uuid[], $24::text[], $25::text[], $26::text[], $27::boolean[], $28::uuid[],
    $29::timestamptz[], $30::uuid[], $31::integer[], $32::timestamptz[], $33::json[]) as new (id, seq, workspace, task, queue, lane, priority, status, payload, metadata, key, attempt,
    max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
    started_at, attempt_started_at, worker, host, error_code, error_message, awaited, schedule_id, slot,
    grant_id, postponements, finished_at, output)
