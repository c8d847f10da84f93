-- Its old number keeps its place in the order of submission.
insert into runs (
  id, seq, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, attempt,
  max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
  started_at, attempt_started_at, worker, host, lease_expires_at, orphaned_at, stop, error_code, error_message,
  awaited, schedule_id, slot, grant_id, postponements
) values (
  ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23,
  ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35
)
-- then
delete from history where workspace = ?1 and id = ?2
