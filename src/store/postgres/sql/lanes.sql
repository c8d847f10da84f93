select lane.name, lane.policy,
    (select run.id from runlane.runs as run where run.workspace = lane.workspace and run.lane = lane.name
        and run.status in ('running', 'retrying')) as occupant,
    array(select hold.run from runlane.lane_holds as hold
        where hold.workspace = lane.workspace and hold.lane = lane.name order by hold.run) as held_by,
    (select count(*) from runlane.lane_runs as run where run.workspace = lane.workspace and run.lane = lane.name
        and run.status = 'queued') as waiting
from runlane.lanes as lane
where lane.workspace = $1 and ($2::text is null or lane.name > $2) and ($4::text is null or lane.name = $4)
    and (lane.policy <> 'continue'
        or exists (select from runlane.lane_runs as run where run.workspace = lane.workspace and run.lane = lane.name)
        or exists (select from runlane.lane_holds as hold
            where hold.workspace = lane.workspace and hold.lane = lane.name))
order by lane.name limit $3
