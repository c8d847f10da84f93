-- Writing the flag makes a new version of the row, so that a finish which waited for the lock reads the row again.
with locked as materialized (
    select id from runlane.runs where id = any($1) order by id for update
)
update runlane.runs set revision = revision + 1, awaited = true
where id = any($1) and id = any(array(select id from locked))
returning id, workspace, lane
