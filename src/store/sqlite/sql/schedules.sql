-- ?1 workspace, ?2 before this id, ?3 limit
select
  id, workspace, grant_id, spec, disabled_code, disabled_message, head_run, head_slot, last_slot, version, created_at,
  updated_at, since
from schedules
where workspace = ?1 and id < ?2
order by id desc
limit ?3
-- then
-- ?4 grant
select
  id, workspace, grant_id, spec, disabled_code, disabled_message, head_run, head_slot, last_slot, version, created_at,
  updated_at, since
from schedules
where grant_id = ?4 and workspace = ?1 and id < ?2
order by id desc
limit ?3
