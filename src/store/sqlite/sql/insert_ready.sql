-- Whether a finished run has the id. Apart from the insert: a statement that selects what it inserts costs twice as much.
-- ?1 workspace, ?2 id
select 1 from history where workspace = ?1 and id = ?2
-- then a new run that is ready at once, unless a live one has its id; seq is given here. ?1 id, ?2 workspace, ?11 now
insert into runs (
  id, workspace, task, queue, priority, status, payload, metadata, max_attempts, attempts_granted, timeout_seconds, retry,
  available_at, requested_at
) values (
  ?1, ?2, ?3, ?4, ?5, 'queued', ?6, ?7, ?8, ?8, ?9, ?10, ?11, ?11
)
on conflict (id) do nothing
