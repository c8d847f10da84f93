select distinct run from runlane.waits where run = any($1)
