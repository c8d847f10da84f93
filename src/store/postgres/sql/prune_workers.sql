delete from runlane.workers where seen_at <= coalesce($1, clock_timestamp()) - $2 * interval '1 microsecond'
