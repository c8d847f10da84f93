-- The time is asked for once, apart: compared with a clock that moves on, the index would be of no use.
-- A retrying run has had its lane since it first started; any other has to line up. What is too
-- late is for another statement to end.
update runlane.runs set revision = revision + 1, blocked_by = case when lane is not null and status = 'queued' then 'lane' end
where ctid = any(array(
    select ctid from runlane.runs
    where blocked_by = 'available_at' and available_at <= (select coalesce($1, clock_timestamp()))
        and (start_by is null or started_at is not null or start_by > (select coalesce($1, clock_timestamp())))
    order by available_at, seq limit $2 for update skip locked))
    and coalesce(blocked_by, '') = 'available_at' and available_at <= coalesce($1, clock_timestamp())
returning workspace, lane, case when slot is not null then schedule_id end
