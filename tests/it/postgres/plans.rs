//! The plans of the hot statements: an index at every step, in both extremes: planned while the tables were empty and
//! vacuumed, which is what a prepared statement keeps when the queue fills up, and planned when they are full.
//!
//! Joining an array or a CTE back to the table is the trap: it falls to a hash join over the whole table as soon as
//! the planner expects more rows than there are, and costs five to twenty times as much. A sort is the other one: the
//! first thousand of a million come from the index in order, or not at all.

use super::fixture::Database;

macro_rules! sql {
    ($name:literal) => {
        super::plans::expanded(include_str!(concat!("../../../src/store/postgres/sql/", $name, ".sql")))
    };
}

/// The statement as the store sends it.
pub(super) fn expanded(sql: &'static str) -> &'static str {
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
    database.execute(include_str!("../../../src/store/postgres/begin.sql")).await;
    database.execute(settings).await;
    database.execute("deallocate all").await;
    database.execute(&format!("prepare statement as {sql}")).await;
    let plan = database.lines(&format!("{how} execute statement {given}")).await.join("\n");
    database.execute("rollback").await;
    plan
}

pub(super) fn assert_by_index(plan: &str, index: &str) {
    assert!(plan.contains(index), "expected {index} in\n{plan}");
    // The settings of queues are a handful of rows, read once for a whole batch.
    let others = plan.replace("Seq Scan on queues", "");
    assert!(!others.contains("Seq Scan"), "a sequential scan in\n{plan}");
}

/// Checks the plan of a statement with empty tables and with full ones.
pub(super) async fn check(sql: &str, arguments: &[&str], assert: impl Fn(&str)) {
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
pub(super) fn ids() -> String {
    let ids: Vec<String> = (0..1000).map(|_| uuid::Uuid::now_v7().to_string()).collect();
    format!("'{{{}}}'::uuid[]", ids.join(","))
}

/// Ids and the other columns of rows, which a generic plan does not look at.
fn and_columns(ids: &str, columns: usize) -> Vec<&str> {
    [vec![ids], vec!["'{}'"; columns]].concat()
}

/// The statements of a file.
fn steps<const N: usize>(sql: &str) -> [&str; N] {
    let mut steps = sql.split("\n-- then");
    let first = steps.next().into_iter();
    let others = steps.map(|step| step.split_once('\n').map_or("", |(_, statement)| statement));
    first.chain(others).collect::<Vec<_>>().try_into().expect("so many statements")
}

/// How long ago each of a thousand runs began.
const AGO: &str = "array_fill(0::bigint, array[1000])";

#[tokio::test]
async fn a_claim_reads_the_front_of_the_ready_index_and_updates_by_place() {
    let turn = ["array['default']", "array['noop']", "array['default']", "array[1000]", "array[0]", "array[0]"];
    let arguments = [&["gen_random_uuid()", "'host'", NOW, "30000000"], &turn[..], &["false"]].concat();
    let (claim, _) = sql!("claim").split_once("-- then").expect("a first step");
    check(claim, &arguments, assert_claims_by_place).await;
}

fn assert_claims_by_place(plan: &str) {
    assert_by_index(plan, "runs_ready");
    assert!(plan.contains("Tid Scan on runs"), "{plan}");
    assert!(!plan.contains("Sort"), "the index is in the order of claiming:\n{plan}");
    // The scan starts at the place where the last claim ended.
    let condition = plan.lines().find(|line| line.contains("Index Cond") && line.contains("ROW("));
    assert!(condition.is_some(), "{plan}");
}

#[tokio::test]
async fn a_claim_of_what_is_known_looks_once_for_what_may_stand_in_its_way() {
    let arguments = [
        "gen_random_uuid()",
        "'host'",
        NOW,
        "30000000",
        "'default'",
        "'noop'",
        "'default'",
        "1000",
        "0::smallint",
        "0",
        "false",
        "0",
    ];
    let (_, known) = sql!("claim").split_once("-- then").expect("a second step");
    let (_, known) = known.split_once("\nupdate").expect("its statement");
    check(&format!("update{known}"), &arguments, |plan| {
        assert_claims_by_place(plan);
        assert!(plan.contains("Index Only Scan using runs_orphaned") || plan.contains("using runs_orphaned"), "{plan}");
        assert!(plan.matches("InitPlan").count() >= 3 && !plan.contains("SubPlan"), "for every run:\n{plan}");
    })
    .await;
}

#[tokio::test]
async fn the_ids_of_new_runs_are_looked_for_once_and_if_need_be_one_by_one_and_never_among_all_finished_ones() {
    let same = |value: &str| format!("array_fill({value}, array[1000])");
    let columns = ["'default'::text", "'noop'::text", "'default'::text", "0::smallint", "'{}'::json", "null::json"];
    let columns = [&columns[..], &["3", "null::int", "null::text"]].concat().into_iter().map(same).collect::<Vec<_>>();
    let different = format!("insert_ready({}, {}, array['default']", ids(), columns.join(", "));
    let payloads = same("'{}'::json");
    let alike =
        format!("insert_alike({}, {payloads}, 'default', 'noop', 'default', 0::smallint, null, 3, null, null", ids());
    for insert in [different, alike] {
        // Between the lowest and the highest of all ids there is something as soon as there is anything.
        let (lowest, highest) = (uuid::Uuid::nil(), uuid::Uuid::max());
        let insert = format!(
            "select count(stored)::text from runlane.{insert}, '{lowest}', '{highest}', {NOW}, 'nobody', null) as stored"
        );
        assert_looks_for_ids(&insert).await;
    }
}

async fn assert_looks_for_ids(insert: &str) {
    let Some(database) = Database::empty().await else { return };
    // It is a function, whose plans are not shown: so what it has read is looked at.
    let reads = "select relname || ': ' || seq_scan || ' scans, ' || idx_scan || ' by index'
        from pg_stat_xact_user_tables where relname in ('runs', 'history') order by relname";
    for (fill, looks) in [("", 1), (FILL, 1001)] {
        database.execute(fill).await;
        database.execute("vacuum analyze runlane.runs, runlane.history").await;
        // A session that has read nothing yet.
        let client = database.another().await;
        let lines = async |sql: &str| -> Vec<String> {
            let rows = client.query(sql, &[]).await.expect("the query runs");
            rows.iter().map(|row| row.get(0)).collect()
        };
        client.batch_execute("begin").await.expect("begun");
        assert_eq!(lines(insert).await, ["1"]);
        assert_eq!(
            lines(reads).await,
            [format!("history: 0 scans, {looks} by index"), "runs: 0 scans, 0 by index".to_owned()]
        );
    }
}

#[tokio::test]
async fn a_finish_finds_its_runs_by_id() {
    let outputs = "array_fill(null::json, array[1000])";
    check(sql!("finish_plain"), &[&ids(), "1", outputs, NOW, AGO], |plan| assert_by_index(plan, "runs_pkey")).await;
}

#[tokio::test]
async fn a_finish_reads_the_limited_queues_once_and_not_for_every_run() {
    let Some(database) = Database::empty().await else { return };
    let arguments = [&ids(), "1", "array_fill(null::json, array[1000])", NOW, AGO];
    let plan = explain(&database, "explain verbose", "", sql!("finish_plain"), &arguments).await;
    assert!(plan.contains("hashed SubPlan"), "{plan}");
}

#[tokio::test]
async fn a_renewal_finds_its_runs_by_id() {
    let [begin, renew, held] = steps(sql!("renew"));
    let arguments = [&ids(), "1", NOW, "30000000", AGO];
    for (sql, arguments) in [(begin, &arguments[..]), (renew, &arguments[..4]), (held, &arguments[..3])] {
        check(sql, arguments, |plan| assert_by_index(plan, "runs_pkey")).await;
    }
}

#[tokio::test]
async fn locking_runs_finds_them_by_id() {
    check(sql!("lock_runs"), &[&ids()], |plan| assert_by_index(plan, "runs_pkey")).await;
    check(sql!("mark_awaited"), &[&ids()], |plan| assert_by_index(plan, "runs_pkey")).await;
}

#[tokio::test]
async fn looking_for_known_ids_reads_what_lies_between_them() {
    let between = sql!("known_runs").split("-- then").next().expect("a first step");
    let id = "gen_random_uuid()";
    check(between, &["array['default']", id, id, "1001"], |plan| {
        assert_by_index(plan, "runs_pkey");
        assert_by_index(plan, "history_pkey");
        let all = "((workspace = named.workspace) AND (id >= $2) AND (id <= $3))";
        assert!(plan.contains(all), "{plan}");
    })
    .await;
}

#[tokio::test]
async fn looking_for_scattered_ids_looks_each_up_in_history() {
    let named = sql!("known_runs").split("-- then").nth(1).expect("a second step");
    let (_, named) = named.split_once('\n').expect("a statement after the comment");
    let workspaces = "array_fill('default'::text, array[1000])";
    check(named, &[workspaces, &ids()], |plan| {
        assert_by_index(plan, "runs_pkey");
        assert_by_index(plan, "history_pkey");
        let both = "((workspace = named.workspace) AND (id = named.id))";
        assert!(plan.contains(both), "{plan}");
    })
    .await;
}

#[tokio::test]
async fn streams_are_found_by_jumping_along_the_ready_index() {
    let full = sql!("ready_streams").split("-- then").next().expect("a first step");
    let none = "array[]::text[]";
    check(full, &["array['noop']", none, "100", none, none, none], |plan| {
        assert_by_index(plan, "runs_ready");
        let condition = plan.lines().find(|line| line.contains("Index Cond") && line.contains("ROW("));
        assert!(condition.is_some(), "{plan}");
    })
    .await;
}

#[tokio::test]
async fn known_streams_are_looked_at_from_where_their_last_claims_ended() {
    let (_, known) = sql!("ready_streams").split_once("-- then").expect("a second step");
    let (_, known) = known.split_once('\n').expect("a line");
    let streams = ["array['default']", "array['noop']", "array['default']", "array[0]", "array[0]"];
    check(known, &streams, |plan| {
        assert_by_index(plan, "runs_ready");
        let condition = plan.lines().find(|line| line.contains("Index Cond") && line.contains("ROW("));
        assert!(condition.is_some(), "{plan}");
    })
    .await;
}

#[tokio::test]
async fn orphans_are_found_by_their_own_index() {
    let arguments =
        ["gen_random_uuid()", "'host'", NOW, "30000000", "'{}'", "60000000", "100", "'{a task}'", "600000000"];
    check(sql!("adopt"), &arguments, |plan| assert_by_index(plan, "runs_orphaned")).await;
}

#[tokio::test]
async fn expired_leases_are_found_among_the_running() {
    check(sql!("reap"), &[NOW, "100"], |plan| assert_by_index(plan, "runs_running")).await;
}

#[tokio::test]
async fn what_is_due_is_found_by_its_time() {
    check(sql!("promote"), &[NOW, "100"], |plan| {
        assert_by_index(plan, "runs_due");
        assert!(plan.contains("Index Cond: (available_at <= "), "runs due later are read too:\n{plan}");
    })
    .await;
    check(sql!("next_due"), &[NOW], |plan| {
        assert_by_index(plan, "runs_due");
        assert!(!plan.contains("Sort"), "the first of the index is the next:\n{plan}");
    })
    .await;
    check(sql!("prune_idempotency"), &[NOW, "100"], |plan| {
        assert_by_index(plan, "idempotency_expires");
        assert!(plan.contains("Index Cond: (expires_at <= "), "keys still remembered are read too:\n{plan}");
    })
    .await;
}

#[tokio::test]
async fn a_token_is_found_by_its_hash() {
    check(sql!("authenticate"), &["''::bytea", NOW], |plan| assert_by_index(plan, "tokens_hash")).await;
}

#[tokio::test]
async fn old_audit_records_are_found_by_their_time() {
    check(sql!("prune_audit"), &[NOW, "0", "100"], |plan| {
        assert_by_index(plan, "audit_at");
        assert!(plan.contains("Index Cond: (at <= "), "records still kept are read too:\n{plan}");
    })
    .await;
}

#[tokio::test]
async fn the_audit_log_is_read_from_where_the_page_starts() {
    let Some(database) = Database::empty().await else { return };
    database.execute(FILL).await;
    database.execute("vacuum analyze runlane.audit").await;
    let pages =
        [("null, null, 51", "audit_pkey"), ("null, 9000, 51", "audit_pkey"), ("'small', 9000, 51", "audit_workspace")];
    for (page, index) in pages {
        database.execute(include_str!("../../../src/store/postgres/begin_read.sql")).await;
        database.execute(&format!("deallocate all; prepare statement as {}", sql!("audit"))).await;
        let plan =
            database.lines(&format!("explain execute statement ({page}, null, null, null, null)")).await.join("\n");
        database.execute("rollback").await;
        assert_by_index(&plan, index);
    }
}

#[tokio::test]
async fn overdue_attempts_are_found_among_the_running() {
    check(sql!("overdue_runs"), &[NOW, "0", "100"], |plan| {
        assert_by_index(plan, "runs_running");
        assert!(!plan.contains("Sort"), "the index is in the order of submission:\n{plan}");
    })
    .await;
}

#[tokio::test]
async fn runs_are_found_by_their_keys() {
    check(sql!("keyed_runs"), &["array['default']", "array['a key']"], |plan| {
        let both = "((workspace = named.workspace) AND (key = named.key))";
        assert!(plan.contains(both), "{plan}");
        assert_by_index(plan, "runs_key");
        assert_by_index(plan, "runs_pkey");
    })
    .await;
}

#[tokio::test]
async fn remembered_keys_are_found_by_index() {
    check(sql!("remembered"), &["array['default']", "array['a key']"], |plan| {
        assert!(plan.contains("((workspace = named.workspace) AND (key = named.key))"), "{plan}");
        assert_by_index(plan, "idempotency_pkey");
    })
    .await;
}

#[tokio::test]
async fn a_change_of_runs_finds_them_by_id_and_writes_them_by_place() {
    check(sql!("update_runs"), &and_columns(&ids(), 35), |plan| {
        assert!(plan.contains("Index Cond: (id = new.id)"), "{plan}");
        assert!(plan.contains("TID Cond: (ctid = old.ctid)"), "{plan}");
        let unguarded = |line: &str| line.contains("Join Filter") && !line.contains("revision");
        assert!(!plan.lines().any(unguarded), "every row is compared with every other:\n{plan}");
    })
    .await;
}

#[tokio::test]
async fn the_end_of_runs_and_their_return_find_them_by_id() {
    check(sql!("end_runs"), &and_columns(&ids(), 33), |plan| {
        assert!(plan.contains("Index Cond: (id = new.id)"), "{plan}");
        assert!(plan.contains("TID Cond: (ctid = old.ctid)"), "{plan}");
        assert_by_index(plan, "runs_pkey");
    })
    .await;
    check(sql!("lock_finished"), &["'default'", &ids()], |plan| {
        assert!(plan.contains("((workspace = $1) AND (id = named.id))"), "{plan}");
        assert_by_index(plan, "history_pkey");
    })
    .await;
    check(sql!("revive_runs"), &and_columns(&ids(), 35), |plan| {
        assert!(plan.contains("((workspace = new.workspace) AND (id = new.id))"), "{plan}");
        assert!(plan.contains("TID Cond: (ctid = old.ctid)"), "{plan}");
        assert_by_index(plan, "history_pkey");
    })
    .await;
}

#[tokio::test]
async fn what_is_old_is_found_by_block_range_and_what_it_left_by_id() {
    let mut steps = sql!("prune_finished").split("\n-- then");
    let history = steps.next().expect("a first step");
    check_with("set local enable_bitmapscan = on", history, &[NOW, "0", "100"], |plan| {
        assert_by_index(plan, "history_finished");
    })
    .await;
    for (step, index) in steps.zip(["attempts_pkey", "events_pkey"]) {
        let (_, sql) = step.split_once('\n').expect("a statement");
        check(sql, &[&ids()], |plan| {
            assert_by_index(plan, index);
        })
        .await;
    }
}

#[tokio::test]
async fn what_a_lane_makes_ready_is_found_by_id_in_order() {
    check(sql!("lane_promote"), &[&ids()], |plan| {
        assert_by_index(plan, "Index Scan using runs_pkey");
        assert!(plan.lines().count() <= 5, "nothing but the scan locks the rows:\n{plan}");
    })
    .await;
}

#[tokio::test]
async fn what_is_handed_over_is_found_by_id_in_order() {
    let worker = "gen_random_uuid()";
    check(sql!("lane_claim"), &[worker, "'here'", NOW, "1000", &ids(), "array['default']", "null::text[]"], |plan| {
        assert_by_index(plan, "Index Scan using runs_pkey");
    })
    .await;
}

#[tokio::test]
async fn whether_a_lane_is_used_two_indexes_say() {
    let (look, delete) = sql!("prune_lanes").split_once("-- then").expect("a second step");
    for (sql, arguments) in [(look, &["1000"][..]), (&format!("-- {delete}"), &["array['default']", "array['a lane']"])]
    {
        check(sql, arguments, |plan| {
            assert_by_index(plan, "runs_lane_front");
            assert_by_index(plan, "runs_lane_line");
        })
        .await;
    }
}

#[tokio::test]
async fn the_front_of_a_lane_is_found_by_index() {
    check(sql!("lane_fronts"), &["array['default']", "array['a lane']"], |plan| {
        assert_by_index(plan, "runs_lane_front");
        assert_by_index(plan, "runs_lane_line");
    })
    .await;
}

#[tokio::test]
async fn a_list_merges_live_and_finished_runs_in_order() {
    let none = ["null", "'{}'", "null", "null", "null", "51"];
    let arguments = [&["'default'"], &none[..]].concat();
    let (of_all, _) = sql!("runs").split_once("-- then").expect("two statements");
    check(of_all, &arguments, |plan| {
        assert!(plan.contains("Merge Append"), "{plan}");
        assert_by_index(plan, "history_pkey");
    })
    .await;
}

#[tokio::test]
async fn a_read_is_planned_for_the_tables_as_they_are() {
    let Some(database) = Database::empty().await else { return };
    database.execute("vacuum analyze runlane.runs, runlane.history").await;
    database.execute(&format!("deallocate all; prepare statement as {}", sql!("run"))).await;
    let begin = include_str!("../../../src/store/postgres/begin_read.sql");
    let id = uuid::Uuid::now_v7();
    // More often than PostgreSQL looks on before it settles for a plan.
    for _ in 0..10 {
        database.execute(&format!("{begin}; execute statement ('default', '{id}'); commit")).await;
    }
    database.execute(FILL).await;
    database.execute(begin).await;
    let plan = database.lines(&format!("explain execute statement ('default', '{id}')")).await.join("\n");
    database.execute("rollback").await;
    assert_by_index(&plan, "runs_pkey");
    assert_by_index(&plan, "history_pkey");
}
