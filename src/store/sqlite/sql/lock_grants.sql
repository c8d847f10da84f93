-- ?1 id. There is one writer, so reading is locking.
select * from grants where id = ?1
