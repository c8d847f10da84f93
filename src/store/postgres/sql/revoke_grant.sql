update runlane.grants set revoked_at = $3 where workspace = $1 and id = $2 and revoked_at is null
