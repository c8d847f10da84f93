-- Two indexes, of which each answers with its first entry.
select least(
    (select available_at from runlane.runs where blocked_by = 'available_at' order by available_at limit 1),
    (select start_by from runlane.runs where start_by is not null and started_at is null order by start_by limit 1)),
    coalesce($1, clock_timestamp())
