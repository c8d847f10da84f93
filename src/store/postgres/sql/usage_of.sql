select run, attempt, unit, amount from runlane.usage
where run = any($2) and workspace = $1 order by run, attempt, unit
