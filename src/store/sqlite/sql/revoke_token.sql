-- ?1 id, ?2 now
update tokens set revoked_at = ?2 where id = ?1 and revoked_at is null
