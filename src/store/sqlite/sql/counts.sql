-- One line for each: to count them here, SQLite would sort them all, in memory.
select workspace, queue, status, status in ('queued', 'retrying') and blocked_by is null, available_at from runs
