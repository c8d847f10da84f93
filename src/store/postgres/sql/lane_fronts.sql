-- At most one run of a lane may go: an index of its own says which, and another one which would be next. One that waits for a
-- worker that has its task keeps its place.
select l.workspace, l.lane,
    coalesce(front.status in ('running', 'retrying'), false)
    or exists (select from runlane.lane_holds as hold
        where hold.workspace = l.workspace and hold.lane = l.lane) as closed,
    case when front.status = 'queued' then front.id end as ready,
    case when front.status = 'queued' and coalesce((front.urgency, front.seq) < (next.urgency, next.seq), true)
        then front.id else next.id end as first
from unnest($1::text[], $2::text[]) as l (workspace, lane)
left join lateral (select run.id, run.status, -run.priority as urgency, run.seq from runlane.runs as run
    where run.workspace = l.workspace and run.lane = l.lane
        and (run.status in ('running', 'retrying') or (run.status = 'queued' and run.blocked_by is null))) as front on true
left join lateral (select run.id, -run.priority as urgency, run.seq from runlane.runs as run
    where run.workspace = l.workspace and run.lane = l.lane and run.status = 'queued' and run.blocked_by = 'lane'
    order by -run.priority, run.seq limit 1) as next on true
