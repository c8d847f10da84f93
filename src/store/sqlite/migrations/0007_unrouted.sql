-- Runs that keep their lanes while they wait for a worker that has their task.
create index runs_unrouted on runs (workspace, lane)
  where lane is not null and status = 'queued' and blocked_by = 'available_at' and error_code = 'unknown_task';
