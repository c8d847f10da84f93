-- Recurring work. A schedule holds no session, token, key or secret: what its runs may do, its grant says.

create table runlane.grants (
    id uuid primary key,
    workspace text collate "C" not null,
    user_id text not null,
    billing_account text collate "C" not null,
    scopes text[] not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    constraint grants_something check (cardinality(scopes) > 0)
);
-- Without the id: a plan made while the table was empty would go through all of it for one id.
create index grants_workspace on runlane.grants (workspace);

-- `head_run` brings the next run of its schedule by starting or by ending; `spec` is what callers may edit.
create table runlane.schedules (
    id uuid primary key,
    workspace text collate "C" not null,
    grant_id uuid not null references runlane.grants,
    spec json not null,
    disabled_code text,
    disabled_message text,
    head_run uuid,
    head_slot timestamptz,
    last_slot timestamptz,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint a_head_has_a_slot check (num_nulls(head_run, head_slot) in (0, 2)),
    constraint a_reason_has_words check (num_nulls(disabled_code, disabled_message) in (0, 2))
);
create index schedules_workspace on runlane.schedules (workspace);
create index schedules_grant on runlane.schedules (grant_id);
create index schedules_enabled on runlane.schedules (id) where disabled_code is null;

-- Slots in a row that got no run, and why.
create table runlane.skips (
    id uuid not null,
    schedule_id uuid not null,
    first_slot timestamptz not null,
    last_slot timestamptz not null,
    slots integer not null,
    reason text collate "C" not null,
    at timestamptz not null,
    primary key (schedule_id, id),
    constraint in_order check (first_slot <= last_slot and slots > 0),
    constraint reason_is_known check (reason in ('missed', 'overlap', 'withdrawn'))
);
create index skips_at on runlane.skips (at);

-- What attempts used up. Its key is the reference under which it is charged, so that nothing is charged twice.
create table runlane.usage (
    run uuid not null,
    attempt integer not null,
    unit text collate "C" not null,
    workspace text collate "C" not null,
    billing_account text collate "C",
    task text collate "C" not null,
    amount bigint not null check (amount >= 0),
    at timestamptz not null,
    primary key (run, attempt, unit)
);
create index usage_workspace on runlane.usage (workspace, at);
create index usage_at on runlane.usage (at);

alter table runlane.runs
    add column schedule_id uuid,
    add column slot timestamptz,
    add column grant_id uuid,
    add constraint scheduled_under_a_grant check ((schedule_id is null) = (grant_id is null)
        and (slot is null or schedule_id is not null));
-- Per schedule and slot there is at most one live run. Of finished ones the chain makes sure: a constraint that stands in
-- the way of an end would only keep a run from ending.
create unique index runs_slot on runlane.runs (schedule_id, slot) where schedule_id is not null;

alter table runlane.history
    add column schedule_id uuid,
    add column slot timestamptz,
    add column grant_id uuid;
create index history_schedule on runlane.history (schedule_id, id) where schedule_id is not null;

drop view runlane.all_runs;
create view runlane.all_runs as
    select id, seq, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata, key, attempt,
        max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
        started_at, attempt_started_at, worker, host, lease_expires_at, orphaned_at, stop, error_code,
        error_message, awaited, schedule_id, slot, grant_id, null::timestamptz as finished_at, null::json as output
    from runlane.runs
    union all
    select id, seq, workspace, task, queue, lane, priority, status, null, payload, metadata, key, attempt,
        max_attempts, attempts_granted, interruptions, epoch, timeout_seconds, retry, available_at, requested_at,
        started_at, attempt_started_at, worker, host, null, null, null, error_code,
        error_message, awaited, schedule_id, slot, grant_id, finished_at, output
    from runlane.history;
