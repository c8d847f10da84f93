-- What a new run has; the rest has defaults, and seq is given here. Without `or fail` SQLite would guard the statement
-- by a savepoint, which the job has.
insert or fail into runs (
  id, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, max_attempts,
  attempts_granted, timeout_seconds, retry, available_at, requested_at, awaited
) values (
  ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18
)
