-- ?1 now, ?2 limit
update runs set revision = revision + 1, orphaned_at = lease_expires_at, lease_expires_at = null
where seq in (
  select seq from runs indexed by runs_running
  where status = 'running' and lease_expires_at <= ?1
  order by seq
  limit ?2
)
returning seq, id
