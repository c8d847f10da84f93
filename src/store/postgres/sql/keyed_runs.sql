-- One look-up for each key: as a condition on both columns, the planner may read every key of the workspace. A live
-- run's key does not change, so that one found by it need not be asked for it again once it is locked.
select * from runlane.runs
where id = any(array(
    select found.id from unnest($1::text[], $2::text[]) as named (workspace, key)
    cross join lateral (
        select run.id from runlane.runs as run
        where run.workspace = named.workspace and run.key = named.key limit 1) as found))
order by id for update
