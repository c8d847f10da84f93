-- ?1 workspace, ?2 id. There is one writer, so reading is locking.
select * from history
where workspace = ?1 and id = ?2
