select * from runlane.runs where workspace = any($1) and key = any($2) order by id for update
