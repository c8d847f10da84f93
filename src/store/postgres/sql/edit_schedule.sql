update runlane.schedules
set grant_id = $5, spec = $6, disabled_code = $7, disabled_message = $8, head_run = $9, head_slot = $10, last_slot = $11,
    version = $12, updated_at = $13, since = $14
where id = $1 and version = $2 and head_run is not distinct from $3 and last_slot is not distinct from $4
