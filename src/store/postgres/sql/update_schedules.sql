update runlane.schedules as schedule
set grant_id = new.grant_id, spec = new.spec, disabled_code = new.disabled_code,
    disabled_message = new.disabled_message, head_run = new.head_run, head_slot = new.head_slot,
    last_slot = new.last_slot, version = new.version, updated_at = new.updated_at
from unnest($1::uuid[], $2::uuid[], $3::json[], $4::text[], $5::text[], $6::uuid[], $7::timestamptz[],
    $8::timestamptz[], $9::bigint[], $10::timestamptz[])
    as new (id, grant_id, spec, disabled_code, disabled_message, head_run, head_slot, last_slot, version, updated_at)
cross join lateral (select place.ctid from runlane.schedules as place where place.id = new.id limit 1) as old
where schedule.ctid = old.ctid
