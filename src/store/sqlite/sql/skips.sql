-- ?1 workspace, ?2 schedule, ?3 before this id, ?4 limit
select skips.id, schedule_id, first_slot, skips.last_slot, slots, reason, at
from skips
join schedules on schedules.id = skips.schedule_id
where workspace = ?1 and schedule_id = ?2 and skips.id < ?3
order by skips.id desc
limit ?4
