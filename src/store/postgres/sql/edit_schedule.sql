update runlane.schedules
set grant_id = $2, spec = $3, disabled_code = $4, disabled_message = $5, head_run = $6, head_slot = $7, last_slot = $8,
    version = $9, updated_at = $10, since = $11
where id = $1
