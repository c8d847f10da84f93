select * from grants
where workspace = ?1 and id = ?2
