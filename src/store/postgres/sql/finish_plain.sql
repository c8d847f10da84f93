with ended as (
    delete from runlane.runs
    where id = any($1) and epoch = $2 and not awaited and schedule_id is null
        and lease_expires_at > coalesce($4, clock_timestamp())
    returning {both.columns but status error_code error_message schedule_id slot grant_id}, blocked_by is not null as ahead
), begun as (
    -- A run that was leased ahead began so long ago as its worker says.
    select ended.*, said.output, case when ahead
        then greatest(attempt_started_at, coalesce($4, clock_timestamp()) - said.ran * interval '1 microsecond')
        else attempt_started_at end as began
    from ended left join unnest($1::uuid[], $3::json[], $5::bigint[]) as said (run, output, ran) on said.run = ended.id
), kept as (
    insert into runlane.history
        ({both.columns but status error_code error_message schedule_id slot grant_id attempt started_at attempt_started_at},
        attempt, started_at, attempt_started_at, status, finished_at, output)
    select {both.columns but status error_code error_message schedule_id slot grant_id attempt started_at attempt_started_at},
        case when ahead then attempt + 1 else attempt end, coalesce(started_at, began), began,
        'succeeded', coalesce($4, clock_timestamp()), output
    from begun
)
-- All in one line, since a line costs more than what is in it.
select array_agg(id), array_agg(workspace) filter (where lane is not null), array_agg(lane) filter (where lane is not null),
    bool_or((workspace, queue) in (
        select settings.workspace, settings.name from runlane.queues as settings where settings.concurrency is not null))
from ended
