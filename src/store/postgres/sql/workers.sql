select *, coalesce($1, clock_timestamp()) as read_at from runlane.workers where left_at is null order by id
