select * from runlane.all_runs where workspace = $1 and id = $2
