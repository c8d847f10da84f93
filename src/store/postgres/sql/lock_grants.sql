select * from runlane.grants where id = any($1) order by id for share
