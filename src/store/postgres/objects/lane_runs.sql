-- The runs of lanes, by the indexes that have them: what may start, and what may not.
drop view if exists runlane.lane_runs;
create view runlane.lane_runs as
    select id, workspace, lane, status from runlane.runs
    where lane is not null and (status in ('running', 'retrying') or (status = 'queued' and blocked_by is null))
    union all
    select id, workspace, lane, status from runlane.runs
    where lane is not null and status not in ('running', 'retrying') and (status <> 'queued' or blocked_by is not null);
