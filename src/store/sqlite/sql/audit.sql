-- ?1 before this number, ?2 limit, ?3 actor, ?4 action or what it begins with, ?5 subject, ?6 since. All of them
select seq, at, workspace, actor, actor_name, action, subject, detail
from audit
where seq < ?1 and (?3 is null or actor_name = ?3) and (?5 is null or subject = ?5) and (?6 is null or at >= ?6)
  and (?4 is null or action = ?4 or substr(action, 1, length(?4) + 1) = ?4 || '.')
order by seq desc
limit ?2
-- then
-- Those of one workspace, ?7, by its index
select seq, at, workspace, actor, actor_name, action, subject, detail
from audit
where workspace = ?7 and seq < ?1
  and (?3 is null or actor_name = ?3) and (?5 is null or subject = ?5) and (?6 is null or at >= ?6)
  and (?4 is null or action = ?4 or substr(action, 1, length(?4) + 1) = ?4 || '.')
order by seq desc
limit ?2
