-- ?1 run
delete from waits where run = ?1
