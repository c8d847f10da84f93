select * from runlane.all_runs
where workspace = $1 and ($2::uuid is null or id < $2)
    and (cardinality($3::text[]) = 0 or status = any($3))
    and ($4::text is null or task = $4) and ($5::text is null or queue = $5) and ($6::text is null or lane = $6)
order by id desc limit $7
-- then, those of one schedule
select * from runlane.all_runs
where schedule_id = $8 and workspace = $1 and ($2::uuid is null or id < $2)
    and (cardinality($3::text[]) = 0 or status = any($3))
    and ($4::text is null or task = $4) and ($5::text is null or queue = $5) and ($6::text is null or lane = $6)
order by id desc limit $7
