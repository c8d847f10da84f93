-- ?1 workspace, ?2 key
select * from runs
where workspace = ?1 and key = ?2
