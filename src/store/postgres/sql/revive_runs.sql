with revived as (
    delete from runlane.history
    where ctid = any(array(
        select found.ctid from unnest($3::text[], $1::uuid[]) as named (workspace, id)
        cross join lateral (
            select finished.ctid from runlane.history as finished
            where finished.workspace = named.workspace and finished.id = named.id limit 1) as found))
)
insert into runlane.runs (id, seq, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, attempt,
    max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
    started_at, attempt_started_at, worker, host, lease_expires_at, orphaned_at, stop, error_code,
    error_message, awaited, schedule_id, slot, grant_id, postponements)
select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::text[],
    $9::text[], $10::json[], $11::json[], $12::text[], $13::integer[], $14::integer[], $15::integer[],
    $16::integer[], $17::bigint[], $18::integer[], $19::text[], $20::timestamptz[], $21::timestamptz[],
    $22::timestamptz[], $23::timestamptz[], $24::uuid[], $25::text[], $26::timestamptz[], $27::timestamptz[],
    $28::text[], $29::text[], $30::text[], $31::boolean[], $32::uuid[], $33::timestamptz[], $34::uuid[], $35::integer[])
