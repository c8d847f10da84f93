-- One look-up for each run: as a condition on both columns, the planner may read all of the workspace's usage.
select used.run, used.attempt, used.unit, used.amount
from unnest($2::uuid[]) as named (run)
cross join lateral (
    select run, attempt, unit, amount, workspace from runlane.usage where usage.run = named.run limit 1000) as used
where used.workspace = $1
order by used.run, used.attempt, used.unit
