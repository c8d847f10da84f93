delete from runlane.idempotency
where ctid = any(array(
    select ctid from runlane.idempotency where expires_at <= coalesce($1, clock_timestamp()) limit $2
    for update skip locked))
