//! The plans of the hot statements: an index at every step, in both extremes: planned while the tables were empty and
//! vacuumed, which is what a prepared statement keeps when the queue fills up, and planned when they are full.
//!
//! Joining an array or a CTE back to the table is the trap: it falls to a hash join over the whole table as soon as
//! the planner expects more rows than there are, and costs five to twenty times as much. A sort is the other one: the
//! first thousand of a million come from the index in order, or not at all.

/// A statement of the store's, by the name of its file.
macro_rules! sql {
    ($name:literal) => {
        super::expanded(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/store/postgres/sql/", $name, ".sql")))
    };
}

mod changes;
mod claims;
mod lanes;
mod passes;
mod reads;
mod schedules;
mod submissions;

use super::fixture::Database;

/// The statement as the store sends it.
fn expanded(sql: &'static str) -> &'static str {
    Box::leak(runlane::store::postgres::PostgresStore::expand_sql(sql).into_owned().into_boxed_str())
}

const NOW: &str = "null::timestamptz";

/// Enough rows that a sequential scan would be the planner's choice if the statement allowed it.
const FILL: &str = "
    insert into runlane.runs (id, workspace, task, queue, lane, priority, status, blocked_by, payload, attempt,
        max_attempts, attempts_granted, epoch, available_at, requested_at, started_at, attempt_started_at, worker, host,
        lease_expires_at, key)
    select gen_random_uuid(), 'default', 'noop', 'default', null, 0,
        case when g % 10 = 0 then 'running' else 'queued' end, null, '{}', (g % 10 = 0)::int, 3, 3, (g % 10 = 0)::int,
        now(), now(), case when g % 10 = 0 then now() end, case when g % 10 = 0 then now() end,
        case when g % 10 = 0 then gen_random_uuid() end, case when g % 10 = 0 then 'host' end,
        case when g % 10 = 0 then now() + interval '1 hour' end, case when g % 3 = 0 then 'key ' || g end
    from generate_series(1, 30000) as g;
    insert into runlane.history (id, seq, workspace, task, queue, priority, status, payload, attempt, max_attempts,
        attempts_granted, interruptions, postponements, epoch, revision, available_at, requested_at, awaited, finished_at)
    select gen_random_uuid(), g, 'default', 'noop', 'default', 0, 'succeeded', '{}', 1, 3, 3, 0, 0, 1, 1, now(), now(), false,
        now()
    from generate_series(1, 30000) as g;
    insert into runlane.idempotency (workspace, key, fingerprint, run, expires_at)
    select workspace, key, '', id, now() from runlane.runs where key is not null;
    insert into runlane.attempts (run, epoch, number, worker, host, started_at, ended_at, status)
    select id, 1, 1, id, 'host', now(), now(), 'failed' from runlane.history;
    insert into runlane.events (run, seq, at, attempt, kind, data)
    select id, 1, now(), 1, 'log', '{}' from runlane.history;
    insert into runlane.tokens (id, hash, name, role, created_at)
    select id, sha256(id::text::bytea), 'somebody', 'viewer', now() from runlane.history;
    insert into runlane.audit (at, workspace, actor_name, action, subject)
    select now(), case when seq % 1000 = 0 then 'small' else 'default' end, 'somebody', 'something', '' from runlane.history;
    insert into runlane.grants (id, workspace, user_id, billing_account, scopes, created_at)
    select id, 'default', 'ada', 'acme', '{*}', now() from runlane.history;
    insert into runlane.schedules (id, workspace, grant_id, spec, head_run, head_slot, since, version, created_at, updated_at)
    select id, 'default', id, '{}', id, now(), now(), 1, now(), now() from runlane.history;
    insert into runlane.skips (id, schedule_id, first_slot, last_slot, slots, reason, at)
    select id, id, now(), now(), 1, 'missed', now() from runlane.history;
    insert into runlane.usage (run, attempt, unit, workspace, task, amount, at)
    select id, 1, 'tokens', 'default', 'noop', 1, now() from runlane.history";

const TABLES: [&str; 11] = [
    "runs",
    "history",
    "idempotency",
    "attempts",
    "events",
    "tokens",
    "audit",
    "grants",
    "schedules",
    "skips",
    "usage",
];

/// The generic plan, as a prepared statement gets it, in a transaction of the store's.
async fn plan(database: &Database, settings: &str, sql: &str, arguments: &[&str]) -> String {
    explain(database, "explain", settings, sql, arguments).await
}

async fn explain(database: &Database, how: &str, settings: &str, sql: &str, arguments: &[&str]) -> String {
    let given = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
    database.execute(include_str!("../../../../src/store/postgres/begin.sql")).await;
    database.execute(settings).await;
    database.execute("deallocate all").await;
    database.execute(&format!("prepare statement as {sql}")).await;
    let plan = database.lines(&format!("{how} execute statement {given}")).await.join("\n");
    database.execute("rollback").await;
    plan
}

fn assert_by_index(plan: &str, index: &str) {
    assert!(plan.contains(index), "expected {index} in\n{plan}");
    // The settings of queues are a handful of rows, read once for a whole batch.
    let others = plan.replace("Seq Scan on queues", "");
    assert!(!others.contains("Seq Scan"), "a sequential scan in\n{plan}");
}

/// Checks the plan of a statement with empty tables and with full ones.
async fn check(sql: &str, arguments: &[&str], assert: impl Fn(&str)) {
    check_with("", sql, arguments, assert).await;
}

/// As [`check`], with settings of the statement's own.
async fn check_with(settings: &str, sql: &str, arguments: &[&str], assert: impl Fn(&str)) {
    let Some(database) = Database::empty().await else { return };
    for fill in ["", FILL] {
        database.execute(fill).await;
        let tables = TABLES.map(|table| format!("runlane.{table}"));
        database.execute(&format!("vacuum analyze {}", tables.join(", "))).await;
        assert(&plan(&database, settings, sql, arguments).await);
    }
}

/// A thousand ids; none is known, which makes no difference to a generic plan.
fn ids() -> String {
    let ids: Vec<String> = (0..1000).map(|_| uuid::Uuid::now_v7().to_string()).collect();
    format!("'{{{}}}'::uuid[]", ids.join(","))
}

/// Ids and the other columns of rows, which a generic plan does not look at, as many as the statement takes.
fn and_columns<'a>(ids: &'a str, sql: &str) -> Vec<&'a str> {
    let numbers =
        sql.split('$').skip(1).map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
    let parameters = numbers.filter_map(|number| number.parse().ok()).max().unwrap_or(1);
    [vec![ids], vec!["'{}'"; parameters - 1]].concat()
}

/// The statements of a file.
fn steps<const N: usize>(sql: &str) -> [&str; N] {
    let mut steps = sql.split("\n-- then");
    let first = steps.next().into_iter();
    let others = steps.map(|step| step.split_once('\n').map_or("", |(_, statement)| statement));
    first.chain(others).collect::<Vec<_>>().try_into().expect("so many statements")
}
