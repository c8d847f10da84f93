select * from runlane.schedules where id = $1
