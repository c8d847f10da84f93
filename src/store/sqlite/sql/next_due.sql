select min(at) from (
  select * from (select available_at as at from runs where blocked_by = 'available_at' order by available_at limit 1)
  union all
  select * from (select start_by from runs where start_by is not null and started_at is null order by start_by limit 1)
)
