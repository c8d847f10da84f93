-- ?1 id
update runs set blocked_by = null where id = ?1 and status = 'queued' and blocked_by = 'lane'
