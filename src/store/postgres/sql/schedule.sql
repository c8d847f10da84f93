select * from runlane.schedules where workspace = $1 and id = $2
