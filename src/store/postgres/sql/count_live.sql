select count(*) from runlane.runs
