-- ?1 workspace, ?2 before this id, ?3 a status, ?4 any status, ?5 statuses, ?6 task, ?7 queue, ?8 lane, ?9 limit, ?10 a schedule.
-- Live ones
select * from runs
where workspace = ?1 and id < ?2 and (?4 or status in (select value from rarray(?5)))
  and (?6 is null or task = ?6) and (?7 is null or queue = ?7) and (?8 is null or lane = ?8)
order by id desc
limit ?9
-- then
-- Finished ones
select * from history
where workspace = ?1 and id < ?2 and (?4 or status in (select value from rarray(?5)))
  and (?6 is null or task = ?6) and (?7 is null or queue = ?7) and (?8 is null or lane = ?8)
order by id desc
limit ?9
-- then
-- Finished ones of a rare status, which have an index
select * from history
where workspace = ?1 and id < ?2 and status = ?3 and status <> 'succeeded'
  and (?6 is null or task = ?6) and (?7 is null or queue = ?7) and (?8 is null or lane = ?8)
order by id desc
limit ?9
-- then
-- Live ones of a schedule
select * from runs
where schedule_id = ?10 and workspace = ?1 and id < ?2 and (?4 or status in (select value from rarray(?5)))
  and (?6 is null or task = ?6) and (?7 is null or queue = ?7) and (?8 is null or lane = ?8)
order by id desc
limit ?9
-- then
-- Finished ones of a schedule
select * from history
where schedule_id = ?10 and workspace = ?1 and id < ?2 and (?4 or status in (select value from rarray(?5)))
  and (?6 is null or task = ?6) and (?7 is null or queue = ?7) and (?8 is null or lane = ?8)
order by id desc
limit ?9
