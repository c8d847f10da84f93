delete from runlane.history
where ctid = any(array(
    select found.ctid from unnest($1::text[], $2::uuid[]) as named (workspace, id)
    cross join lateral (
        select finished.ctid from runlane.history as finished
        where finished.workspace = named.workspace and finished.id = named.id limit 1) as found))
-- then
delete from runlane.attempts where run = any($1)
-- then
delete from runlane.events where run = any($1)
-- then
delete from runlane.lane_holds where run = any($1)
