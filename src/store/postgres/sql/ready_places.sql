select ready.queue, ready.urgency, ready.seq
from unnest($1::text[], $2::text[], $3::bigint[], $4::smallint[], $5::bigint[])
    as turn (workspace, queue, take, urgency, seq)
cross join lateral (
    select run.queue, -run.priority as urgency, run.seq from runlane.runs as run
    where run.workspace = turn.workspace and run.queue = turn.queue
        and run.status in ('queued', 'retrying') and run.blocked_by is null
        and (-run.priority, run.seq) > (turn.urgency, turn.seq)
    order by -run.priority, run.seq limit turn.take) as ready
