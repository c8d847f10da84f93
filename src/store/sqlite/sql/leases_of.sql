-- ?1 worker
select id, epoch from runs indexed by runs_running
where (status = 'running' or blocked_by = 'worker') and lease_expires_at is not null and worker = ?1
