-- An update that changes nothing, so that claims from these queues count one after the other.
update runlane.queues set concurrency = concurrency
where ctid = any(array(
    select ctid from runlane.queues
    where workspace = any($1) and name = any($2) and concurrency is not null and not paused
    order by workspace, name))
    and concurrency is not null and not paused
returning workspace, name, concurrency
-- then, seeing what was committed while the rows were waited for
select workspace, queue, count(*) from runlane.runs
where status = 'running' and workspace = any($1) and queue = any($2) group by workspace, queue
