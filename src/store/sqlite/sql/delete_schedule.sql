delete from skips where schedule_id = ?1
-- then
delete from schedules where id = ?1
