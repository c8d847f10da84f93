-- ?1 workspace, ?2 name
select
  id, workspace, grant_id, spec, disabled_code, disabled_message, head_run, head_slot, last_slot, version, created_at,
  updated_at, since
from schedules
where workspace = ?1 and json_extract(spec, '$.name') = ?2
