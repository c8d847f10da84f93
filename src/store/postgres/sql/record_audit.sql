insert into runlane.audit (at, workspace, actor, actor_name, action, subject, detail)
select coalesce($1, clock_timestamp()), workspace, actor, actor_name, action, subject, detail
from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::json[])
    with ordinality as new (workspace, actor, actor_name, action, subject, detail, place)
order by place
