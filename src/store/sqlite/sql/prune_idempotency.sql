-- ?1 now, ?2 limit
delete from idempotency
where (workspace, key) in (
  select workspace, key from idempotency where expires_at <= ?1 order by expires_at limit ?2
)
