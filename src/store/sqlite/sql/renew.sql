-- ?1 id, ?2 epoch, ?3 now, ?4 lease_expires_at
update runs set revision = revision + 1, lease_expires_at = ?4
where id = ?1 and epoch = ?2 and status = 'running' and lease_expires_at > ?3
returning stop
