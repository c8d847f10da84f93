-- ?1 limit
select id from schedules
where disabled_code is null and not exists (select 1 from runs where runs.id = schedules.head_run)
order by id
limit ?1
