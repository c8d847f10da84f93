select id, epoch from runlane.runs
where (status = 'running' or blocked_by = 'worker') and lease_expires_at is not null and worker = $1
