-- ?1 workspace, ?2 lane
delete from lane_holds where workspace = ?1 and lane = ?2
