-- ?1 workspace, ?2 before this id, ?3 limit
select * from schedules
where workspace = ?1 and id < ?2
order by id desc
limit ?3
-- then
-- ?4 grant
select * from schedules
where grant_id = ?4 and workspace = ?1 and id < ?2
order by id desc
limit ?3
