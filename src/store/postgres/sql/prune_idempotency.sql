-- The time is asked for once, apart: compared with a clock that moves on, the index would be of no use.
delete from runlane.idempotency
where ctid = any(array(
    select ctid from runlane.idempotency where expires_at <= (select coalesce($1, clock_timestamp())) limit $2
    for update skip locked))
