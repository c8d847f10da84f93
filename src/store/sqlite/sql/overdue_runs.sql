-- ?1 the time by which the limit must have been reached, ?2 limit
select * from runs indexed by runs_running
where status = 'running' and attempt_started_at + timeout_seconds * 1000000 <= ?1
order by seq
limit ?2
