-- ?1 host, ?2 orphaned by then for other hosts, ?3 orphaned by then for workers that lack the task, ?4 all queues, ?5 queues,
-- ?6 all tasks, ?7 tasks, ?8 capacity. Read first, because an update does not return what it overwrites.
select seq, orphaned_at from runs
where orphaned_at is not null
  and case when ?6 or task in (select value from rarray(?7)) then host = ?1 or orphaned_at <= ?2 else orphaned_at <= ?3 end
  and (?4 or queue in (select value from rarray(?5)))
order by priority desc, seq
limit ?8
-- then ?1 worker, ?2 host, ?3 lease_expires_at, ?4 seq
update runs set
  revision = revision + 1, worker = ?1, host = ?2, epoch = epoch + 1, lease_expires_at = ?3, orphaned_at = null
where seq = ?4 and orphaned_at is not null
returning *
