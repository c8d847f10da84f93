-- ?1 workspace, ?2 id
select * from runs
where workspace = ?1 and id = ?2
-- then
select * from history
where workspace = ?1 and id = ?2
