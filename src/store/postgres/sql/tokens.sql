select id, workspace, name, role, created_at, expires_at, revoked_at
from runlane.tokens
where $1::text is null or workspace = $1
order by created_at desc, id desc
