-- ?1 run, ?2 upstream
delete from waits where run = ?1 and upstream = ?2
