select * from runlane.history where workspace = $1 and id = any($2) order by id for update
