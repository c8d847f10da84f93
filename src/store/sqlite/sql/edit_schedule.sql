-- ?14 to ?16 what was seen: version, head_run, last_slot
update schedules set
  grant_id = ?3, spec = ?4, disabled_code = ?5, disabled_message = ?6, head_run = ?7, head_slot = ?8, last_slot = ?9,
  version = ?10, updated_at = ?12, since = ?13
where id = ?1 and workspace = ?2 and created_at = ?11 and version = ?14 and head_run is ?15 and last_slot is ?16
