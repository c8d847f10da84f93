-- ?1 id
update runs set revision = revision + 1, awaited = 1 where id = ?1 returning workspace, lane
