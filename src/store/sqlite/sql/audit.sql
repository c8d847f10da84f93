-- ?1 before this number, ?2 limit. All of them
select seq, at, workspace, actor, actor_name, action, subject, detail
from audit
where seq < ?1
order by seq desc
limit ?2
-- then
-- Those of one workspace, ?3, by its index
select seq, at, workspace, actor, actor_name, action, subject, detail
from audit
where workspace = ?3 and seq < ?1
order by seq desc
limit ?2
