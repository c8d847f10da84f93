select seq, at, workspace, actor, actor_name, action, subject, detail
from runlane.audit
where ($1::text is null or workspace = $1) and ($2::bigint is null or seq < $2)
    and ($4::text is null or actor_name = $4) and ($6::text is null or subject = $6)
    and ($5::text is null or action = $5 or starts_with(action, $5 || '.'))
    and ($7::timestamptz is null or at >= $7)
order by seq desc limit $3
