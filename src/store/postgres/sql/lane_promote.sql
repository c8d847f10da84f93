-- The rows are locked, so their place is all that the update needs.
update runlane.runs set blocked_by = null
where ctid = any(array(
    select ctid from runlane.runs where id = any($1) and status = 'queued' and blocked_by = 'lane'
    order by id for update))
