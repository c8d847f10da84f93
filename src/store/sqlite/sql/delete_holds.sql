-- ?1 run
delete from lane_holds where run = ?1
