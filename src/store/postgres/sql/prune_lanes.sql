-- An update of nothing locks the lanes, whatever becomes of the hint to skip those that somebody else has locked.
update runlane.lanes as lane set policy = policy
where ctid = any(array(
    select ctid from runlane.lanes as idle
    where policy = 'continue'
        and not exists (select from runlane.lane_runs as run where run.workspace = idle.workspace and run.lane = idle.name)
        and not exists (select from runlane.lane_holds as hold
            where hold.workspace = idle.workspace and hold.lane = idle.name)
    limit $1 for update skip locked))
returning workspace, name
-- then, seeing what was committed until they were locked, those that nobody uses
delete from runlane.lanes as lane using unnest($1::text[], $2::text[]) as idle (workspace, name)
where lane.workspace = idle.workspace and lane.name = idle.name and policy = 'continue'
    and not exists (select from runlane.lane_runs as run where run.workspace = lane.workspace and run.lane = lane.name)
    and not exists (select from runlane.lane_holds as hold
        where hold.workspace = lane.workspace and hold.lane = lane.name)
