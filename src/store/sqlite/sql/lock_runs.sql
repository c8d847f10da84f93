-- ?1 id. There is one writer, so reading is locking.
select * from runs
where id = ?1
