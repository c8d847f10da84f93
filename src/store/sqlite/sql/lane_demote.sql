-- ?1 id
update runs set revision = revision + 1, blocked_by = 'lane' where id = ?1 and status = 'queued' and blocked_by is null
