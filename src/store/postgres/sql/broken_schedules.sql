-- One look-up for each schedule, whatever the planner believed of an empty table.
select id from runlane.schedules as schedule
where disabled_code is null
    and not exists (select from runlane.runs where runs.id = schedule.head_run)
order by id limit $1
