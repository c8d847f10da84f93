-- The rows are locked, so that their place is theirs. Joined by id, a plan made while the table was empty would compare
-- every row with every other.
update runlane.runs as run
set task = new.task, queue = new.queue, lane = new.lane, priority = new.priority, status = new.status,
    blocked_by = new.blocked_by, payload = new.payload, metadata = new.metadata, key = new.key,
    attempt = new.attempt, max_attempts = new.max_attempts, attempts_granted = new.attempts_granted,
    interruptions = new.interruptions, epoch = new.epoch, timeout_seconds = new.timeout_seconds, retry = new.retry,
    available_at = new.available_at, started_at = new.started_at, attempt_started_at = new.attempt_started_at,
    worker = new.worker, host = new.host, lease_expires_at = new.lease_expires_at,
    orphaned_at = new.orphaned_at, stop = new.stop, error_code = new.error_code,
    error_message = new.error_message, awaited = new.awaited, postponements = new.postponements
from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::text[],
    $9::text[], $10::json[], $11::json[], $12::text[], $13::integer[], $14::integer[], $15::integer[],
    $16::integer[], $17::bigint[], $18::integer[], $19::text[], $20::timestamptz[], $21::timestamptz[],
    $22::timestamptz[], $23::timestamptz[], $24::uuid[], $25::text[], $26::timestamptz[], $27::timestamptz[],
    $28::text[], $29::text[], $30::text[], $31::boolean[], $32::uuid[], $33::timestamptz[], $34::uuid[], $35::integer[]) as new (id, seq, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, attempt,
    max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
    started_at, attempt_started_at, worker, host, lease_expires_at, orphaned_at, stop, error_code,
    error_message, awaited, schedule_id, slot, grant_id, postponements)
cross join lateral (select place.ctid from runlane.runs as place where place.id = new.id limit 1) as old
where run.ctid = old.ctid
