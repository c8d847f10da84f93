-- ?1 workspace, ?2 id
select * from schedules
where workspace = ?1 and id = ?2
