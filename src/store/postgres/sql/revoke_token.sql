update runlane.tokens set revoked_at = coalesce($2, clock_timestamp()) where id = $1 and revoked_at is null
