-- ?1 id, ?2 to ?4 what was seen: version, head_run, last_slot
delete from schedules where id = ?1 and version = ?2 and head_run is ?3 and last_slot is ?4
-- then
delete from skips where schedule_id = ?1
