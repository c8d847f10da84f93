update runlane.runs set blocked_by = null
where id = any(array(
    select id from runlane.runs where id = any($1) and status = 'queued' and blocked_by = 'lane'
    order by id for update))
