insert into schedules (
  id, workspace, grant_id, spec, disabled_code, disabled_message, head_run, head_slot, last_slot, version, created_at,
  updated_at, since
) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
on conflict do nothing
