select * from runlane.workers order by id
