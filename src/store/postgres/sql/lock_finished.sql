-- One look-up for each run: as a condition on both columns, the planner may read all of the workspace's history.
select * from runlane.history
where ctid = any(array(
    select found.ctid from unnest($2::uuid[]) as named (id)
    cross join lateral (
        select finished.ctid from runlane.history as finished
        where finished.workspace = $1 and finished.id = named.id limit 1) as found))
order by id for update
