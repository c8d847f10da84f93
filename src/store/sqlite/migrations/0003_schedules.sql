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

-- `head_run` brings the next run of its schedule by starting or by ending; `spec` is what callers may edit.
create table schedules (
  id blob not null primary key check (length(id) = 16),
  workspace text not null,
  grant_id blob not null references grants,
  disabled_code text,
  disabled_message text,
  head_run blob,
  head_slot integer,
  last_slot integer,
  version integer not null,
  created_at integer not null,
  updated_at integer not null,
  spec text not null,
  check ((head_run is null) = (head_slot is null)),
  check ((disabled_code is null) = (disabled_message is null))
) strict, without rowid;

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

alter table runs add column schedule_id blob;
alter table runs add column slot integer check (slot is null or schedule_id is not null);
alter table runs add column grant_id blob check ((schedule_id is null) = (grant_id is null));
-- Per schedule and slot there is at most one live run. Of finished ones the chain makes sure: a constraint that stands in
-- the way of an end would only keep a run from ending.
create unique index runs_slot on runs (schedule_id, slot) where schedule_id is not null;

alter table history add column schedule_id blob;
alter table history add column slot integer;
alter table history add column grant_id blob;
create index history_schedule on history (schedule_id, id) where schedule_id is not null;
