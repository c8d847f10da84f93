-- A new run that is ready at once, unless its id is taken; seq is given here. ?1 id, ?2 workspace, ?11 now.
insert or fail into runs (
  id, workspace, task, queue, priority, status, payload, metadata, max_attempts, attempts_granted, timeout_seconds, retry,
  available_at, requested_at
)
select ?1, ?2, ?3, ?4, ?5, 'queued', ?6, ?7, ?8, ?8, ?9, ?10, ?11, ?11
where not exists (select 1 from runs where id = ?1)
  and not exists (select 1 from history where workspace = ?2 and id = ?1)
