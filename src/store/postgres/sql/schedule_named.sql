select * from runlane.schedules where workspace = $1 and (spec ->> 'name') collate "C" = $2
