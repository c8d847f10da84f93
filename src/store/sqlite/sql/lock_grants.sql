-- ?1 id. There is one writer, so reading is locking.
select id, workspace, user_id, billing_account, scopes, created_at, expires_at, revoked_at from grants where id = ?1
