-- The next number of the counter that new live runs take theirs from
update sqlite_sequence set seq = seq + 1 where name = 'runs' returning seq
-- then
insert into history (
  id, seq, workspace, task, queue, lane, priority, status, payload, metadata, key, attempt, max_attempts,
  attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at, started_at,
  attempt_started_at, worker, host, error_code, error_message, awaited, schedule_id, slot, grant_id,
  postponements, finished_at,  output
) values (
  ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
  ?25, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37
)
