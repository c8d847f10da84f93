select * from runlane.runs where id = any($1) order by id for update
