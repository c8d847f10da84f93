delete from runlane.waits where run = any($1) and upstream = any($2)
