select upstream from runlane.waits where run = $1 order by upstream
