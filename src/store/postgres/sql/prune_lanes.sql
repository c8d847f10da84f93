select workspace, name from runlane.lanes as lane
where policy = 'continue'
    and not exists (select from runlane.lane_runs as run where run.workspace = lane.workspace and run.lane = lane.name)
    and not exists (select from runlane.lane_holds as hold
        where hold.workspace = lane.workspace and hold.lane = lane.name)
limit $1 for update skip locked
-- then, once they are locked, those that nobody has used in the meantime
delete from runlane.lanes as lane using unnest($1::text[], $2::text[]) as idle (workspace, name)
where lane.workspace = idle.workspace and lane.name = idle.name and policy = 'continue'
    and not exists (select from runlane.lane_runs as run where run.workspace = lane.workspace and run.lane = lane.name)
    and not exists (select from runlane.lane_holds as hold
        where hold.workspace = lane.workspace and hold.lane = lane.name)
