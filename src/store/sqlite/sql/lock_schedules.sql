-- ?1 id. There is one writer, so reading is locking.
select * from schedules
where id = ?1
