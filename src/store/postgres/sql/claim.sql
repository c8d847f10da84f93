-- The update finds the rows by ctid. Its other conditions are the guard that they are still ready, written so that the planner sees
-- no index in it. A run that is leased ahead ($11) stays queued, and no attempt counts.
update runlane.runs
set status = case when $11 then 'queued' else 'running' end, blocked_by = case when $11 then 'worker' end,
    revision = revision + 1, attempt = attempt + case when $11 then 0 else 1 end, epoch = epoch + 1, worker = $1, host = $2,
    started_at = coalesce(started_at, case when not $11 then coalesce($3, clock_timestamp()) end),
    attempt_started_at = coalesce($3, clock_timestamp()),
    lease_expires_at = coalesce($3, clock_timestamp()) + $4 * interval '1 microsecond'
where ctid = any(array(
    select ready.ctid
    from unnest($5::text[], $6::text[], $7::text[], $8::bigint[], $9::smallint[], $10::bigint[])
        as turn (workspace, task, queue, take, urgency, seq)
    cross join lateral (
        select run.ctid from runlane.runs as run
        where run.workspace = turn.workspace and run.task = turn.task and run.queue = turn.queue
            and run.status in ('queued', 'retrying') and run.blocked_by is null
            and (-run.priority, run.seq) > (turn.urgency, turn.seq)
            and (run.start_by is null or run.started_at is not null or run.start_by > coalesce($3, clock_timestamp()))
        order by -run.priority, run.seq limit turn.take for update skip locked) as ready))
    and coalesce(blocked_by, status) in ('queued', 'retrying')
    and (not $11::boolean or (status = 'queued' and attempt + 1 < max_attempts and lane is null and schedule_id is null
        and start_by is null))
returning *
-- then, from the one known stream, without a scan: claims nothing if there is something to adopt or the queue is paused or limited,
-- and stops before a run whose grant has to be checked or that must not be leased ahead. A claim ahead leaves $12 ready runs for
-- others.
update runlane.runs
set status = case when $11 then 'queued' else 'running' end, blocked_by = case when $11 then 'worker' end,
    revision = revision + 1, attempt = attempt + case when $11 then 0 else 1 end, epoch = epoch + 1, worker = $1, host = $2,
    started_at = coalesce(started_at, case when not $11 then coalesce($3, clock_timestamp()) end),
    attempt_started_at = coalesce($3, clock_timestamp()),
    lease_expires_at = coalesce($3, clock_timestamp()) + $4 * interval '1 microsecond'
where ctid = any((
    select (array_agg(next.place))[:coalesce(array_position(array_agg(next.stops), true) - 1, count(*)::integer)]
    from (
        select run.ctid as place, run.schedule_id is not null
            or $11::boolean and (run.status <> 'queued' or run.attempt + 1 >= run.max_attempts or run.lane is not null
                or run.start_by is not null) as stops
        from runlane.runs as run
        where run.workspace = $5 and run.task = $6 and run.queue = $7
            and run.status in ('queued', 'retrying') and run.blocked_by is null
            and (-run.priority, run.seq) > ($9, $10)
            and (run.start_by is null or run.started_at is not null or run.start_by > coalesce($3, clock_timestamp()))
            and (select true from runlane.runs where orphaned_at is not null limit 1) is null
            and (select true from runlane.queues
                where workspace = $5 and name = $7 and (paused or concurrency is not null) limit 1) is null
        order by -run.priority, run.seq
        limit case when $12::bigint = 0 then $8::bigint else least($8, (
            select greatest(count(*) - $12, 0) from (
                select from runlane.runs as other
                where other.workspace = $5 and other.task = $6 and other.queue = $7
                    and other.status in ('queued', 'retrying') and other.blocked_by is null
                    and (-other.priority, other.seq) > ($9, $10)
                order by -other.priority, other.seq limit $8 + $12) as waiting)) end
        for update skip locked) as next)::tid[])
    and coalesce(blocked_by, status) in ('queued', 'retrying')
returning *
