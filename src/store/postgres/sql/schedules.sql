select * from runlane.schedules
where workspace = $1 and ($2::uuid is null or id < $2) and ($4::uuid is null or grant_id = $4)
order by id desc limit $3
