select * from runlane.runs
where status = 'running' and attempt_started_at + timeout_seconds * interval '1 second'
    + $2 * interval '1 microsecond' <= coalesce($1, clock_timestamp())
order by seq limit $3 for update skip locked
