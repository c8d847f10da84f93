select available_at, coalesce($1, clock_timestamp()) from runlane.runs
where blocked_by = 'available_at' order by available_at limit 1
