update runlane.runs set revision = revision + 1, blocked_by = 'lane'
where id = any(array(
    select id from runlane.runs where id = any($1) and status = 'queued' and blocked_by is null
    order by id for update))
    and coalesce(blocked_by, status) = 'queued'
returning id
