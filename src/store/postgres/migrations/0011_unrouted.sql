-- Runs that keep their lanes while they wait for a worker that has their task. Written so that no other index on what is
-- blocked looks as if it served as well.
create index runs_unrouted on runlane.runs (workspace, lane)
    where lane is not null and status = 'queued' and coalesce(blocked_by, '') = 'available_at' and error_code = 'unknown_task';
