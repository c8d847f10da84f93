-- ?1 id
update runs set revision = revision + 1, blocked_by = null where id = ?1 and status = 'queued' and blocked_by = 'lane'
