select id from runlane.runs where schedule_id = any($1) and status in ('running', 'retrying') order by id
