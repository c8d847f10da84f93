select turn.number, ready.urgency, ready.seq, ready.may_go_ahead
from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::smallint[], $6::bigint[]) with ordinality
    as turn (workspace, task, queue, take, urgency, seq, number)
cross join lateral (
    select -run.priority as urgency, run.seq,
        run.status = 'queued' and run.attempt + 1 < run.max_attempts and run.lane is null and run.schedule_id is null
            and run.start_by is null as may_go_ahead
    from runlane.runs as run
    where run.workspace = turn.workspace and run.task = turn.task and run.queue = turn.queue
        and run.status in ('queued', 'retrying') and run.blocked_by is null
        and (-run.priority, run.seq) > (turn.urgency, turn.seq)
        and (run.start_by is null or run.started_at is not null or run.start_by > coalesce($7, clock_timestamp()))
    order by -run.priority, run.seq limit turn.take) as ready
