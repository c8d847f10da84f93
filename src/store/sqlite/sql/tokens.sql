-- ?1 workspace, or null for all
select id, workspace, name, role, created_at, expires_at, revoked_at
from tokens
where ?1 is null or workspace = ?1
order by created_at desc, id desc
