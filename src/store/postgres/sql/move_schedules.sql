update runlane.schedules as schedule
set disabled_code = new.disabled_code, disabled_message = new.disabled_message, head_run = new.head_run,
    head_slot = new.head_slot, last_slot = new.last_slot, updated_at = new.updated_at
from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[])
    as new (id, disabled_code, disabled_message, head_run, head_slot, last_slot, updated_at)
cross join lateral (select place.ctid from runlane.schedules as place where place.id = new.id limit 1) as old
where schedule.ctid = old.ctid
