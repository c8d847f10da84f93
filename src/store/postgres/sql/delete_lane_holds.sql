delete from runlane.lane_holds where workspace = $1 and lane = $2
