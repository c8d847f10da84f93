-- All ids between the first and the last, up to a limit. Ids begin with the time at which they were made, so those of a batch are
-- close together, and hardly any others are between them.
-- One statement, so that a run that is just moving into history is seen exactly once.
(select id, workspace, status from runlane.runs where id between $2 and $3 limit $4)
union all
select finished.id, finished.workspace, finished.status
from unnest($1::text[]) as named (workspace)
cross join lateral (
    select id, workspace, status from runlane.history
    where history.workspace = named.workspace and history.id between $2 and $3 limit $4) as finished
-- then, if too much was in between
-- One look-up for each run: as a condition on both columns at once, the planner may take all runs of the workspace
-- instead.
select id, workspace, status from runlane.runs where id = any($2)
union all
select finished.id, finished.workspace, finished.status
from unnest($1::text[], $2::uuid[]) as named (workspace, id)
cross join lateral (
    select id, workspace, status from runlane.history
    where history.workspace = named.workspace and history.id = named.id limit 1) as finished
