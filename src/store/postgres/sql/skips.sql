select skips.id, schedule_id, first_slot, skips.last_slot, slots, reason, at
from runlane.skips join runlane.schedules on schedules.id = skips.schedule_id
where schedules.workspace = $1 and schedule_id = $2 and ($3::uuid is null or skips.id < $3)
order by skips.id desc limit $4
