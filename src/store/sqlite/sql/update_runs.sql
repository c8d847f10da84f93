-- Everything but what identifies a run and where it comes from (?32 to ?34)
update runs set
  task = ?4, queue = ?5, lane = ?6, priority = ?7, status = ?8, blocked_by = ?9, payload = ?10, metadata = ?11,
  key = ?12, attempt = ?13, max_attempts = ?14, attempts_granted = ?15, interruptions = ?16, epoch = ?17,
  timeout_seconds = ?18, retry = ?19, available_at = ?20, started_at = ?22, attempt_started_at = ?23,
  worker = ?24, host = ?25, lease_expires_at = ?26, orphaned_at = ?27, stop = ?28, error_code = ?29,
  error_message = ?30, awaited = ?31, postponements = ?35
where id = ?1 and seq = ?2 and workspace = ?3 and requested_at = ?21 and ?32 is schedule_id and ?33 is slot and ?34 is grant_id
