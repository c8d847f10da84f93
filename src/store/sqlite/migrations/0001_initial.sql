-- The first schema. Ids are 16-byte blobs, times are microseconds since 1970, booleans are 0 or 1, JSON is text.
-- What may be large stands last in each row, so that reading the rest need not follow overflow pages.

create table workspaces (
  name text not null primary key,
  created_at integer not null
) strict, without rowid;

-- Live runs. `revision` counts the writes of a row: a write that was decided on an earlier read names it. `seq` is the order of submission; with autoincrement it is never given twice.
create table runs (
  seq integer primary key autoincrement,
  id blob not null unique check (length(id) = 16),
  workspace text not null,
  queue text not null,
  status text not null,
  blocked_by text,
  priority integer not null check (priority between -1000 and 1000),
  lane text,
  attempt integer not null default 0,
  max_attempts integer not null,
  attempts_granted integer not null,
  interruptions integer not null default 0 check (interruptions >= 0),
  postponements integer not null default 0,
  epoch integer not null default 0,
  revision integer not null default 0,
  lease_expires_at integer,
  orphaned_at integer,
  stop text check (stop in ('cancel', 'pause')),
  worker blob,
  host text,
  attempt_started_at integer,
  available_at integer not null,
  requested_at integer not null,
  start_by integer,
  started_at integer,
  timeout_seconds integer check (timeout_seconds > 0),
  retry text,
  awaited integer not null default 0 check (awaited in (0, 1)),
  schedule_id blob,
  slot integer,
  grant_id blob,
  key text,
  task text not null,
  error_code text,
  error_message text,
  metadata text,
  payload text not null,
  -- Chains of `or` where `in` would be shorter: for three words or more SQLite builds a table, at every check.
  check (status = 'queued' or status = 'running' or status = 'retrying' or status = 'pending' or status = 'paused'),
  check (blocked_by = 'lane' or blocked_by = 'available_at' or blocked_by = 'upstream' or blocked_by = 'worker'),
  check (attempt between 0 and max_attempts),
  check (attempt <= epoch),
  check (blocked_by is null or status in ('queued', 'retrying')),
  -- Leased: running, or about to.
  check ((worker is not null) = (status = 'running' or blocked_by is 'worker')),
  check ((host is null) = (worker is null)),
  check ((attempt_started_at is null) = (worker is null)),
  check ((lease_expires_at is not null) + (orphaned_at is not null) = (worker is not null)),
  check (orphaned_at is null or status = 'running'),
  check (stop is null or worker is not null),
  check (slot is null or schedule_id is not null),
  check ((schedule_id is null) = (grant_id is null))
) strict;

-- A run that ends as it comes in takes its number from this row, which must then be there before any run is.
insert into sqlite_sequence (name, seq) values ('runs', 0);

-- Every index of `runs` ends in `seq`, its rowid.
-- The task comes before the queue, since workers have some tasks and mostly serve all queues.
create index runs_ready on runs (workspace, task, queue, priority desc)
  where status in ('queued', 'retrying') and blocked_by is null;
create index runs_running on runs (workspace, queue) where status = 'running' or blocked_by = 'worker';
create index runs_orphaned on runs (orphaned_at) where orphaned_at is not null;
create index runs_due on runs (available_at) where blocked_by = 'available_at';
create index runs_start_by on runs (start_by) where start_by is not null and started_at is null;
create unique index runs_key on runs (workspace, key) where key is not null;
create unique index runs_lane_front on runs (workspace, lane)
  where lane is not null and (status in ('running', 'retrying') or (status = 'queued' and blocked_by is null));
create index runs_lane on runs (workspace, lane, status, priority desc) where lane is not null;
-- Per schedule and slot there is at most one live run. Of finished ones the chain makes sure: a constraint that stands in
-- the way of an end would only keep a run from ending.
create unique index runs_slot on runs (schedule_id, slot) where schedule_id is not null;

-- Finished runs.
create table history (
  workspace text not null,
  id blob not null check (length(id) = 16),
  seq integer not null,
  finished_at integer not null,
  status text not null,
  queue text not null,
  priority integer not null,
  lane text,
  attempt integer not null,
  max_attempts integer not null,
  attempts_granted integer not null,
  interruptions integer not null,
  postponements integer not null,
  epoch integer not null,
  revision integer not null,
  worker blob,
  host text,
  attempt_started_at integer,
  available_at integer not null,
  requested_at integer not null,
  start_by integer,
  started_at integer,
  timeout_seconds integer,
  retry text,
  awaited integer not null,
  schedule_id blob,
  slot integer,
  grant_id blob,
  key text,
  task text not null,
  error_code text,
  error_message text,
  metadata text,
  payload text not null,
  output text,
  primary key (workspace, id),
  check (status = 'succeeded' or status = 'failed' or status = 'cancelled' or status = 'timed_out'),
  check (attempt between 0 and max_attempts),
  check (attempt <= epoch)
) strict;

create index history_unsuccessful on history (workspace, status, id) where status <> 'succeeded';
create index history_finished on history (finished_at);
create index history_schedule on history (schedule_id, id) where schedule_id is not null;

-- Who waits for whom, until the upstream run ends.
create table waits (
  run blob not null,
  upstream blob not null,
  primary key (run, upstream)
) strict, without rowid;

create index waits_upstream on waits (upstream);

-- Attempts that did not end their run; the last one is in the run itself.
create table attempts (
  run blob not null,
  epoch integer not null,
  number integer not null,
  worker blob not null,
  host text not null,
  started_at integer not null,
  ended_at integer not null,
  status text not null,
  error_code text,
  error_message text,
  primary key (run, epoch)
) strict, without rowid;

-- With a rowid, since a log chunk may be large.
create table events (
  run blob not null,
  seq integer not null,
  at integer not null,
  attempt integer not null,
  kind text not null check (kind = 'log' or kind = 'progress' or kind = 'usage'),
  data text not null,
  primary key (run, seq)
) strict;

create table idempotency (
  workspace text not null,
  key text not null,
  fingerprint blob not null,
  run blob not null,
  expires_at integer not null,
  primary key (workspace, key)
) strict, without rowid;

create index idempotency_expiry on idempotency (expires_at);

create table lanes (
  workspace text not null,
  name text not null,
  policy text not null check (policy in ('continue', 'hold')),
  primary key (workspace, name)
) strict, without rowid;

create table lane_holds (
  run blob not null primary key,
  workspace text not null,
  lane text not null
) strict, without rowid;

create index lane_holds_lane on lane_holds (workspace, lane);

create table queues (
  workspace text not null,
  name text not null,
  paused integer not null check (paused in (0, 1)),
  concurrency integer check (concurrency >= 0),
  primary key (workspace, name)
) strict, without rowid;

create table workers (
  id blob not null primary key check (length(id) = 16),
  host text not null,
  pid integer not null,
  version text not null,
  queues text not null,
  queue_limits text not null,
  tasks text,
  slots integer not null,
  busy integer not null,
  beat_ms integer not null,
  started_at integer not null,
  seen_at integer not null,
  draining integer not null check (draining in (0, 1)),
  draining_since integer,
  leaving integer not null default 0 check (leaving in (0, 1)),
  left_at integer
) strict, without rowid;

insert into workspaces (name, created_at) values ('default', unixepoch() * 1000000);

-- Who may do what, and who did. Of a token's secret there is only the SHA-256.

create table tokens (
  id blob not null primary key check (length(id) = 16),
  hash blob not null unique check (length(hash) = 32),
  workspace text,
  name text not null check (name <> ''),
  role text not null,
  created_at integer not null,
  expires_at integer check (expires_at >= created_at),
  revoked_at integer,
  check (role = 'viewer' or role = 'submitter' or role = 'operator' or role = 'admin' or role = 'worker')
) strict, without rowid;

-- With autoincrement no number is ever given twice, whatever was pruned. Both indexes end in `seq`, the rowid.
create table audit (
  seq integer primary key autoincrement,
  at integer not null,
  workspace text,
  actor blob check (length(actor) = 16),
  actor_name text not null,
  action text not null,
  subject text not null,
  detail text
) strict;

create index audit_workspace on audit (workspace);
create index audit_at on audit (at);

-- Recurring work. A schedule holds no session, token, key or secret: what its runs may do, its grant says.

create table grants (
  id blob not null primary key check (length(id) = 16),
  workspace text not null,
  user_id text not null,
  billing_account text not null,
  scopes text not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer
) strict, without rowid;

create index grants_workspace on grants (workspace, id);

-- `head_run` brings the next run of its schedule by starting or by ending. `spec` is what callers may edit, and `version`
-- counts their edits. `since` is when it was made, resumed or given other times: what was due before is not its business.
create table schedules (
  id blob not null primary key check (length(id) = 16),
  workspace text not null,
  grant_id blob not null references grants,
  disabled_code text,
  disabled_message text,
  head_run blob,
  head_slot integer,
  last_slot integer,
  since integer not null,
  version integer not null,
  created_at integer not null,
  updated_at integer not null,
  spec text not null,
  check ((head_run is null) = (head_slot is null)),
  check ((disabled_code is null) = (disabled_message is null))
) strict, without rowid;

create unique index schedules_name on schedules (workspace, json_extract(spec, '$.name'));
create index schedules_workspace on schedules (workspace, id);
create index schedules_grant on schedules (grant_id);
create index schedules_enabled on schedules (id) where disabled_code is null;

-- Slots in a row that got no run, and why.
create table skips (
  id blob not null check (length(id) = 16),
  schedule_id blob not null,
  first_slot integer not null,
  last_slot integer not null,
  slots integer not null check (slots > 0),
  reason text not null,
  at integer not null,
  primary key (schedule_id, id),
  check (first_slot <= last_slot),
  check (reason = 'missed' or reason = 'overlap' or reason = 'withdrawn')
) strict, without rowid;

create index skips_at on skips (at);

-- What attempts used up. Its key is the reference under which it is charged, so that nothing is charged twice.
create table usage (
  run blob not null,
  attempt integer not null,
  unit text not null,
  workspace text not null,
  billing_account text,
  task text not null,
  amount integer not null check (amount >= 0),
  at integer not null,
  primary key (run, attempt, unit)
) strict, without rowid;

create index usage_workspace on usage (workspace, at);
create index usage_at on usage (at);
