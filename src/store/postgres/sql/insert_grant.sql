insert into runlane.grants (id, workspace, user_id, billing_account, scopes, created_at, expires_at, revoked_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (id) do nothing
