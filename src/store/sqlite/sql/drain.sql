-- ?1 id
update workers set draining = 1 where id = ?1
