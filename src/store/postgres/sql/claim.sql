-- The rows are locked, so their place is all that the update needs; any other condition could tempt the planner.
update runlane.runs
set status = 'running', attempt = attempt + 1, epoch = epoch + 1, worker = $1, host = $2,
    started_at = coalesce(started_at, $3, clock_timestamp()),
    attempt_started_at = coalesce($3, clock_timestamp()),
    lease_expires_at = coalesce($3, clock_timestamp()) + $4 * interval '1 microsecond'
where ctid = any(array(
    select ready.ctid
    from unnest($5::text[], $6::text[], $7::bigint[], $8::smallint[], $9::bigint[])
        as turn (workspace, queue, take, urgency, seq)
    cross join lateral (
        select run.ctid from runlane.runs as run
        where run.workspace = turn.workspace and run.queue = turn.queue
            and run.status in ('queued', 'retrying') and run.blocked_by is null
            and (-run.priority, run.seq) > (turn.urgency, turn.seq)
        order by -run.priority, run.seq limit turn.take for update skip locked) as ready))
returning *
