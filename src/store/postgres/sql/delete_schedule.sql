delete from runlane.schedules
where id = $1 and version = $2 and head_run is not distinct from $3 and last_slot is not distinct from $4
-- then
delete from runlane.skips where schedule_id = $1
