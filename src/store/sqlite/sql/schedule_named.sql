-- ?1 workspace, ?2 name
select * from schedules
where workspace = ?1 and json_extract(spec, '$.name') = ?2
