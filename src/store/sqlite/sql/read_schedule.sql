-- ?1 id
select * from schedules
where id = ?1
