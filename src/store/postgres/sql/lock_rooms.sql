select workspace, name, concurrency from runlane.queues
where workspace = any($1) and name = any($2) and concurrency is not null and not paused
order by workspace, name for update
-- then, seeing what was committed while the lock was waited for
select workspace, queue, count(*) from runlane.runs
where status = 'running' and workspace = any($1) and queue = any($2) group by workspace, queue
