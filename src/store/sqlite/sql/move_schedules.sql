-- ?1 id, ?2 disabled_code, ?3 disabled_message, ?4 head_run, ?5 head_slot, ?6 last_slot, ?7 updated_at
update schedules set
  disabled_code = ?2, disabled_message = ?3, head_run = ?4, head_slot = ?5, last_slot = ?6, updated_at = ?7
where id = ?1
