delete from runlane.skips where schedule_id = $1
-- then
delete from runlane.schedules where id = $1
