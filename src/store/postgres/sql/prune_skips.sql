-- The time is asked for once, apart: compared with a clock that moves on, the index would be of no use.
delete from runlane.skips
where ctid = any(array(
    select ctid from runlane.skips
    where at <= (select coalesce($1, clock_timestamp()) - $2 * interval '1 microsecond') limit $3))
