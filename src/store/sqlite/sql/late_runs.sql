-- ?1 now, ?2 limit
select * from runs where start_by <= ?1 and start_by is not null and started_at is null order by start_by, seq limit ?2
