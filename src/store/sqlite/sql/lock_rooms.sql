-- ?1 workspace, ?2 queue. There is one writer, so counting is locking.
select max(0, concurrency - (
  select count(*) from runs where workspace = ?1 and queue = ?2 and status = 'running'
))
from queues
where workspace = ?1 and name = ?2 and concurrency is not null
