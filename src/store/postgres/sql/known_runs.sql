-- One statement, so that a run that is just moving into history is seen exactly once. One look-up for each run: as a
-- condition on both columns at once, the planner may take all runs of the workspace instead.
select id, workspace, status from runlane.runs where id = any($2)
union all
select finished.id, finished.workspace, finished.status
from unnest($1::text[], $2::uuid[]) as named (workspace, id)
cross join lateral (
    select id, workspace, status from runlane.history
    where history.workspace = named.workspace and history.id = named.id limit 1) as finished
