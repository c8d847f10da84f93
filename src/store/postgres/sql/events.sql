select seq, at, attempt, kind, data from runlane.events where run = $1 and seq > $2 order by seq limit $3
