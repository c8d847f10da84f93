update runlane.lanes set policy = $3 where workspace = $1 and name = $2
