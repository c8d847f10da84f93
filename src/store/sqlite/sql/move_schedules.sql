-- ?1 id, ?2 to ?4 what was seen: version, head_run, last_slot; ?5 disabled_code, ?6 disabled_message, ?7 head_run, ?8 head_slot,
-- ?9 last_slot, ?10 updated_at
update schedules set
  disabled_code = ?5, disabled_message = ?6, head_run = ?7, head_slot = ?8, last_slot = ?9, updated_at = ?10
where id = ?1 and version = ?2 and head_run is ?3 and last_slot is ?4
