-- Live runs and finished runs stand apart: `runs` stays as small as the work at hand, `history` is only appended to.
-- Text that is compared by machines sorts by bytes: faster, and the same order as in Rust.

create table runlane.workspaces (
    name text collate "C" primary key,
    created_at timestamptz not null default clock_timestamp()
);
insert into runlane.workspaces (name) values ('default');

-- Blocks of places in line: asking a sequence for each of a thousand runs was a seventh of what it took to store them.
create sequence runlane.blocks;

-- Columns of fixed width come first, so that none needs padding. `revision` counts the writes of a row: a write that was
-- decided on an earlier read names it. There are no checks: PostgreSQL reads their texts anew for every statement that
-- writes, which cost a single run more than its indexes; the types of the code say the same.
create table runlane.runs (
    id uuid primary key,
    seq bigint not null default nextval('runlane.blocks') * 4096,
    epoch bigint not null default 0,
    available_at timestamptz not null,
    requested_at timestamptz not null,
    start_by timestamptz,
    started_at timestamptz,
    attempt_started_at timestamptz,
    lease_expires_at timestamptz,
    orphaned_at timestamptz,
    slot timestamptz,
    revision integer not null default 0,
    attempt integer not null default 0,
    max_attempts integer not null,
    attempts_granted integer not null,
    interruptions integer not null default 0,
    postponements integer not null default 0,
    timeout_seconds integer,
    priority smallint not null,
    awaited boolean not null default false,
    worker uuid,
    schedule_id uuid,
    grant_id uuid,
    workspace text collate "C" not null,
    task text collate "C" not null,
    queue text collate "C" not null,
    lane text collate "C",
    status text collate "C" not null,
    blocked_by text collate "C",
    key text collate "C",
    retry text,
    host text,
    stop text,
    error_code text,
    error_message text,
    metadata json,
    payload json not null
);

-- No two runs have the same entry in most of these indexes, so there is nothing to deduplicate.
--
-- What a claim reads: of each task in each queue the most urgent first, then the oldest. The task comes before the queue, since
-- workers have some tasks and mostly serve all queues.
create index runs_ready on runlane.runs (workspace, task, queue, (-priority), seq) with (deduplicate_items = off)
    where status in ('queued', 'retrying') and blocked_by is null;
-- Lease times are in no index, so that renewing a lease rewrites no index. Statements that name runs by id must not
-- say "status = 'running'" (an unexpired lease implies it), or the planner may read this whole index instead.
create index runs_running on runlane.runs (seq) with (deduplicate_items = off)
    where status = 'running' or blocked_by = 'worker';
create index runs_orphaned on runlane.runs (orphaned_at) where orphaned_at is not null;
create index runs_due on runlane.runs (available_at) where blocked_by = 'available_at';
create index runs_start_by on runlane.runs (start_by) where start_by is not null and started_at is null;
create unique index runs_key on runlane.runs (workspace, key) where key is not null;
-- Of a lane, what may not start. What may is in runs_lane_front alone: so a run that gets to the front, and one that starts,
-- is written into one index less.
create index runs_lane_line on runlane.runs (workspace, lane, (-priority), seq) with (deduplicate_items = off)
    where lane is not null and status not in ('running', 'retrying') and (status <> 'queued' or blocked_by is not null);
-- At most one run of a lane may go: this is the promise that lanes are serial, kept by the database itself.
create unique index runs_lane_front on runlane.runs (workspace, lane)
    where lane is not null and (status in ('running', 'retrying') or (status = 'queued' and blocked_by is null));

-- Per schedule and slot there is at most one live run. Of finished ones the chain makes sure: a constraint that stands in
-- the way of an end would only keep a run from ending.
create unique index runs_slot on runlane.runs (schedule_id, slot) where schedule_id is not null;

create table runlane.history (
    id uuid not null,
    seq bigint not null,
    epoch bigint not null,
    available_at timestamptz not null,
    requested_at timestamptz not null,
    start_by timestamptz,
    started_at timestamptz,
    attempt_started_at timestamptz,
    finished_at timestamptz not null,
    slot timestamptz,
    revision integer not null,
    attempt integer not null,
    max_attempts integer not null,
    attempts_granted integer not null,
    interruptions integer not null,
    postponements integer not null,
    timeout_seconds integer,
    priority smallint not null,
    awaited boolean not null,
    worker uuid,
    schedule_id uuid,
    grant_id uuid,
    workspace text collate "C" not null,
    task text collate "C" not null,
    queue text collate "C" not null,
    lane text collate "C",
    status text collate "C" not null,
    key text collate "C",
    retry text,
    host text,
    error_code text,
    error_message text,
    metadata json,
    payload json not null,
    output json,
    primary key (workspace, id)
);
-- Rows come in the order in which runs end, so block ranges are all that pruning needs.
create index history_finished on runlane.history using brin (finished_at);
create index history_not_succeeded on runlane.history (workspace, status, id) with (deduplicate_items = off)
    where status <> 'succeeded';
create index history_schedule on runlane.history (schedule_id, id) with (deduplicate_items = off)
    where schedule_id is not null;

-- What each run waits for and has not ended yet.
create table runlane.waits (
    run uuid not null,
    upstream uuid not null,
    primary key (run, upstream)
);
create index waits_upstream on runlane.waits (upstream);

-- Attempts that ended without ending their run; the last one is on the run itself.
create table runlane.attempts (
    run uuid not null,
    epoch bigint not null,
    number integer not null,
    worker uuid not null,
    host text not null,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    status text not null,
    error_code text,
    error_message text,
    primary key (run, epoch)
);

create table runlane.events (
    run uuid not null,
    seq bigint not null,
    at timestamptz not null,
    attempt integer not null,
    kind text not null,
    data json not null,
    primary key (run, seq)
);

create table runlane.idempotency (
    workspace text collate "C" not null,
    key text collate "C" not null,
    fingerprint bytea not null,
    run uuid not null,
    expires_at timestamptz not null,
    primary key (workspace, key)
);
create index idempotency_expires on runlane.idempotency (expires_at);

create table runlane.lanes (
    workspace text collate "C" not null,
    name text collate "C" not null,
    policy text not null default 'continue' check (policy in ('continue', 'hold')),
    primary key (workspace, name)
);

create table runlane.lane_holds (
    run uuid primary key,
    workspace text collate "C" not null,
    lane text collate "C" not null
);
create index lane_holds_lane on runlane.lane_holds (workspace, lane);

create table runlane.queues (
    workspace text collate "C" not null,
    name text collate "C" not null,
    paused boolean not null,
    concurrency integer check (concurrency >= 0),
    primary key (workspace, name)
);

-- One row: whoever admits runs to a bounded queue writes it first, so that they admit one after the other.
create table runlane.admission (
    turn bigint not null
);
insert into runlane.admission (turn) values (0);

create table runlane.workers (
    id uuid primary key,
    host text not null,
    pid integer not null,
    version text not null,
    queues text[] not null,
    queue_limits json not null,
    tasks text[],
    slots integer not null,
    busy integer not null,
    beat_ms bigint not null,
    started_at timestamptz not null,
    seen_at timestamptz not null,
    draining boolean not null default false,
    draining_since timestamptz,
    leaving boolean not null default false,
    left_at timestamptz
);

-- Who may do what, and who did. Of a token's secret there is only the SHA-256.

create table runlane.tokens (
    id uuid primary key,
    hash bytea not null,
    workspace text collate "C",
    name text not null,
    role text collate "C" not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    constraint hash_is_sha_256 check (length(hash) = 32),
    constraint name_is_given check (name <> ''),
    constraint role_is_known check (role in ('viewer', 'submitter', 'operator', 'admin', 'worker')),
    constraint expires_after_it_was_made check (expires_at >= created_at)
);
create unique index tokens_hash on runlane.tokens (hash);

create table runlane.audit (
    seq bigint primary key generated by default as identity,
    at timestamptz not null,
    workspace text collate "C",
    actor uuid,
    actor_name text not null,
    action text not null,
    subject text not null,
    detail json
);
create index audit_workspace on runlane.audit (workspace, seq);
create index audit_at on runlane.audit (at);

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

-- `head_run` brings the next run of its schedule by starting or by ending. `spec` is what callers may edit, and `version`
-- counts their edits. `since` is when it was made, resumed or given other times: what was due before is not its business.
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
    since timestamptz not null,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint a_head_has_a_slot check (num_nulls(head_run, head_slot) in (0, 2)),
    constraint a_reason_has_words check (num_nulls(disabled_code, disabled_message) in (0, 2))
);
create unique index schedules_name on runlane.schedules (workspace, ((spec ->> 'name') collate "C"));
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
