select id, workspace, user_id, billing_account, scopes, created_at, expires_at, revoked_at
from grants
where workspace = ?1 and id = ?2
