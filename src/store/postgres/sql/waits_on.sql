select run, upstream from runlane.waits where upstream = any($1)
