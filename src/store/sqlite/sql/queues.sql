-- ?1 workspace
select name, paused, concurrency from queues where workspace = ?1
-- then every live run: to count them here, SQLite would sort them all, in memory
select queue, status from runs where workspace = ?1
