select run.id
from unnest($1::uuid[]) as due (id)
cross join lateral (
    select schedule.id from runlane.schedules as schedule
    where schedule.id = due.id and schedule.spec ->> 'overlap' = 'replace' limit 1) as replacing
cross join lateral (
    select rival.id from runlane.runs as rival
    where rival.schedule_id = replacing.id and rival.status in ('running', 'retrying') limit 1000) as run
order by run.id
