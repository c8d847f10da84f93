update runlane.schedules as schedule
set disabled_code = new.disabled_code, disabled_message = new.disabled_message, head_run = new.head_run,
    head_slot = new.head_slot, last_slot = new.last_slot, updated_at = new.updated_at
from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[], $7::uuid[], $8::timestamptz[],
    $9::timestamptz[], $10::timestamptz[])
    as new (id, seen_version, seen_head, seen_slot, disabled_code, disabled_message, head_run, head_slot, last_slot, updated_at)
cross join lateral (select place.ctid from runlane.schedules as place where place.id = new.id limit 1) as old
where schedule.ctid = old.ctid and schedule.version = new.seen_version
    and schedule.head_run is not distinct from new.seen_head and schedule.last_slot is not distinct from new.seen_slot
