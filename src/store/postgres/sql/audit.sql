select seq, at, workspace, actor, actor_name, action, subject, detail
from runlane.audit
where ($1::text is null or workspace = $1) and ($2::bigint is null or seq < $2)
order by seq desc limit $3
