-- Live runs in a small table, finished ones moved to an append-only one in the statement that ends them.

-- name: schema
create table runs (
    id uuid primary key,
    seq bigint generated always as identity,
    workspace text not null,
    task text not null,
    queue text not null,
    lane text,
    status text not null,
    blocked_by text,
    priority smallint not null,
    payload json,
    attempt int not null default 0,
    max_attempts int not null,
    epoch bigint not null default 0,
    available_at timestamptz not null,
    requested_at timestamptz not null,
    started_at timestamptz,
    worker uuid,
    host text,
    lease_expires_at timestamptz,
    orphaned_at timestamptz,
    key text,
    metadata json
);
create index runs_ready on runs (workspace, queue, (-priority), seq)
    where status in ('queued', 'retrying') and blocked_by is null;
create index runs_running on runs (seq) where status = 'running';
create table history (
    id uuid not null,
    seq bigint not null,
    workspace text not null,
    task text not null,
    queue text not null,
    lane text,
    status text not null,
    blocked_by text,
    priority smallint not null,
    payload json,
    attempt int not null default 0,
    max_attempts int not null,
    epoch bigint not null default 0,
    available_at timestamptz not null,
    requested_at timestamptz not null,
    started_at timestamptz,
    worker uuid,
    host text,
    lease_expires_at timestamptz,
    orphaned_at timestamptz,
    key text,
    metadata json,
    finished_at timestamptz not null,
    output json,
    error_code text,
    error_message text,
    primary key (workspace, id)
);

-- name: finish
with done as (
    delete from runs
    where id = any ($1::uuid[]) and epoch = $2 and lease_expires_at > clock_timestamp()
    returning *)
insert into history (id, seq, workspace, task, queue, lane, status, blocked_by, priority, payload, attempt, max_attempts, epoch, available_at,
    requested_at, started_at, worker, host, lease_expires_at, orphaned_at, key, metadata, finished_at)
select id, seq, workspace, task, queue, lane, 'succeeded', blocked_by, priority, payload, attempt, max_attempts, epoch, available_at,
    requested_at, started_at, worker, host, lease_expires_at, orphaned_at, key, metadata, clock_timestamp()
from done
returning id

-- name: fill
insert into history (id, seq, workspace, task, queue, lane, status, blocked_by, priority, payload, attempt, max_attempts, epoch, available_at,
    requested_at, started_at, worker, host, lease_expires_at, orphaned_at, key, metadata, finished_at)
select ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, -i, 'main', 'noop', 'default', null, 'succeeded', null, 0,
    json_build_object('i', i, 'text', 'lorem ipsum dolor sit amet consectetu'), 1, 3, 1, now(), now(), now(),
    '00000000-0000-7000-8000-000000000000', 'host', now(), null, null, null, now()
from generate_series(1, $1::bigint) i
