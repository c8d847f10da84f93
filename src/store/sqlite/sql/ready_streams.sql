-- ?1 all queues, ?2 queues. Steps from name to name through the index, so that the number of waiting runs does not
-- matter.
with recursive
  owners (workspace) as (
    select min(workspace) from runs where status in ('queued', 'retrying') and blocked_by is null
    union all
    select (
      select min(workspace) from runs
      where workspace > owners.workspace and status in ('queued', 'retrying') and blocked_by is null
    )
    from owners
    where workspace is not null
  ),
  streams (workspace, queue) as (
    select workspace, (
      select min(queue) from runs
      where workspace = owners.workspace and status in ('queued', 'retrying') and blocked_by is null
    )
    from owners
    where workspace is not null
    union all
    select workspace, (
      select min(queue) from runs
      where workspace = streams.workspace and queue > streams.queue
        and status in ('queued', 'retrying') and blocked_by is null
    )
    from streams
    where queue is not null
  )
select streams.workspace, streams.queue, queues.concurrency is not null
from streams left join queues on queues.workspace = streams.workspace and queues.name = streams.queue
where streams.queue is not null
  and (?1 or streams.queue in (select value from rarray(?2)))
  and coalesce(queues.paused, 0) = 0
