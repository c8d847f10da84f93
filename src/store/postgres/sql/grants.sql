select * from runlane.grants where workspace = $1 and ($2::uuid is null or id < $2) order by id desc limit $3
