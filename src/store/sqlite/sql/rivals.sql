-- ?1 schedule
select runs.id
from schedules
join runs on runs.schedule_id = schedules.id
where schedules.id = ?1 and json_extract(spec, '$.overlap') = 'replace' and runs.status in ('running', 'retrying')
order by runs.id
