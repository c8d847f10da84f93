delete from runlane.waits where run = any($1)
