-- ?1 hash, ?2 now
select id, workspace, name, role, created_at, expires_at, revoked_at
from tokens
where hash = ?1 and revoked_at is null and (expires_at is null or expires_at > ?2)
