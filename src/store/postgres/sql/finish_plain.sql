with ended as (
    delete from runlane.runs
    where id = any($1) and epoch = $2 and not awaited and schedule_id is null
        and lease_expires_at > coalesce($4, clock_timestamp())
    returning {both.columns but status error_code error_message schedule_id slot grant_id}
), kept as (
    insert into runlane.history ({both.columns but status error_code error_message schedule_id slot grant_id},
        status, finished_at, output)
    select ended.*, 'succeeded', coalesce($4, clock_timestamp()), said.output
    from ended left join unnest($1::uuid[], $3::json[]) as said (id, output) on said.id = ended.id
)
-- All in one line, since a line costs more than what is in it.
select array_agg(id), array_agg(workspace) filter (where lane is not null), array_agg(lane) filter (where lane is not null),
    bool_or((workspace, queue) in (
        select settings.workspace, settings.name from runlane.queues as settings where settings.concurrency is not null))
from ended
