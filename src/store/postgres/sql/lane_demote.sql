update runlane.runs set blocked_by = 'lane'
where id = any(array(
    select id from runlane.runs where id = any($1) and status = 'queued' and blocked_by is null
    order by id for update))
returning id
