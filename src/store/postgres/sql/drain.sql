update runlane.workers set draining = true where id = $1
