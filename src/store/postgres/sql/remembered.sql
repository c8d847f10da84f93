select workspace, key, fingerprint, run, expires_at from runlane.idempotency where workspace = any($1) and key = any($2)
