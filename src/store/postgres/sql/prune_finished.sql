-- The time is asked for once, apart: compared with a clock that moves on, the index would be of no use.
delete from runlane.history
where ctid = any(array(
    select ctid from runlane.history as finished
    where finished_at <= (select coalesce($1, clock_timestamp()) - $2 * interval '1 microsecond')
        and not exists (select from runlane.lane_holds where run = finished.id)
    limit $3))
returning id
-- then, for the runs that are gone
delete from runlane.attempts where run = any($1)
-- then
delete from runlane.events where run = any($1)
