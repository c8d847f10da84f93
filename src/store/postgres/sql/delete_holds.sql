delete from runlane.lane_holds where run = any($1) returning run
