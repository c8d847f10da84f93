-- ?1 workspace, ?2 key
select fingerprint, run, expires_at from idempotency where workspace = ?1 and key = ?2
