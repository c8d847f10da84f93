-- ?1 id
update runs set awaited = 1 where id = ?1 returning workspace, lane
