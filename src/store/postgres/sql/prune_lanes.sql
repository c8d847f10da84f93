delete from runlane.lanes
where ctid = any(array(
    select ctid from runlane.lanes as lane
    where policy = 'continue'
        and not exists (select from runlane.runs as run where run.workspace = lane.workspace and run.lane = lane.name)
        and not exists (select from runlane.lane_holds as hold
            where hold.workspace = lane.workspace and hold.lane = lane.name)
    limit $1 for update skip locked))
