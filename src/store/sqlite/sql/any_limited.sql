-- ?1 workspace, ?2 queue
select exists (select 1 from queues where workspace = ?1 and name = ?2 and concurrency is not null)
