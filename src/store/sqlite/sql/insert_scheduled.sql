-- As insert_runs, for runs that owe themselves to a schedule.
insert or fail into runs (
  id, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, max_attempts,
  attempts_granted, timeout_seconds, retry, available_at, requested_at, awaited, schedule_id, slot, grant_id
) values (
  ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21
)
