-- The time is asked for once, apart: compared with a clock that moves on, the index would be of no use.
select * from runlane.runs
where start_by <= (select coalesce($1, clock_timestamp())) and started_at is null
order by start_by, seq limit $2 for update skip locked
