-- ?1 workspace, ?2 task, ?3 queue. The first stream from there on
select workspace, task, queue from runs
where (workspace, task, queue) >= (?1, ?2, ?3) and status in ('queued', 'retrying') and blocked_by is null
order by workspace, task, queue
limit 1
-- then ?1 workspace, ?2 queue
select paused, concurrency is not null from queues where workspace = ?1 and name = ?2
