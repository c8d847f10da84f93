-- Index scans go through ids in their order, so that is the order in which the rows are locked.
update runlane.runs set revision = revision + 1, blocked_by = null where id = any($1) and status = 'queued' and blocked_by = 'lane'
