select * from runlane.attempts where run = $1 order by epoch
