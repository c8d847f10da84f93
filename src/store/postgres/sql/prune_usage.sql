delete from runlane.usage
where ctid = any(array(
    select ctid from runlane.usage
    where at <= (select coalesce($1, clock_timestamp()) - $2 * interval '1 microsecond') limit $3))
