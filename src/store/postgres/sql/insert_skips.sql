insert into runlane.skips (id, schedule_id, first_slot, last_slot, slots, reason, at)
select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::integer[], $6::text[],
    $7::timestamptz[])
