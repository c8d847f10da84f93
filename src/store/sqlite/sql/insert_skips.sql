insert into skips (id, schedule_id, first_slot, last_slot, slots, reason, at) values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
