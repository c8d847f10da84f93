-- ?1 workspace, ?2 before this id, ?3 limit
select * from grants
where workspace = ?1 and id < ?2
order by id desc
limit ?3
