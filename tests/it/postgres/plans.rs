//! The plans of the hot statements: an index at every step, whatever the planner believes about the batch.
//!
//! Joining an array or a CTE back to the table is the trap: it falls to a hash join over the whole table as soon as
//! the planner expects more rows than there are, and costs five to twenty times as much.

use super::fixture::Database;

macro_rules! sql {
    ($name:literal) => {
        include_str!(concat!("../../../src/store/postgres/sql/", $name, ".sql"))
    };
}

const NOW: &str = "null::timestamptz";

/// Enough rows that a sequential scan would be the planner's choice if the statement allowed it.
const FILL: &str = "
    insert into runlane.runs (id, workspace, task, queue, lane, priority, status, blocked_by, payload, attempt,
        max_attempts, attempts_granted, epoch, available_at, requested_at, started_at, attempt_started_at, worker, host,
        lease_expires_at)
    select gen_random_uuid(), 'default', 'noop', 'default', null, 0,
        case when g % 10 = 0 then 'running' else 'queued' end, null, '{}', (g % 10 = 0)::int, 3, 3, (g % 10 = 0)::int,
        now(), now(), case when g % 10 = 0 then now() end, case when g % 10 = 0 then now() end,
        case when g % 10 = 0 then gen_random_uuid() end, case when g % 10 = 0 then 'host' end,
        case when g % 10 = 0 then now() + interval '1 hour' end
    from generate_series(1, 30000) as g;
    insert into runlane.history (id, seq, workspace, task, queue, priority, status, payload, attempt, max_attempts,
        attempts_granted, interruptions, epoch, available_at, requested_at, awaited, finished_at)
    select gen_random_uuid(), g, 'default', 'noop', 'default', 0, 'succeeded', '{}', 1, 3, 3, 0, 1, now(), now(), false,
        now()
    from generate_series(1, 30000) as g;
    analyze runlane.runs; analyze runlane.history";

/// The generic plan, as a prepared statement gets it after a few executions.
async fn plan(database: &Database, sql: &str, arguments: &[&str]) -> String {
    let given = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
    database.execute("set plan_cache_mode = force_generic_plan; deallocate all").await;
    database.execute(&format!("prepare statement as {sql}")).await;
    database.lines(&format!("explain execute statement {given}")).await.join("\n")
}

fn assert_by_index(plan: &str, index: &str) {
    assert!(plan.contains(index), "expected {index} in\n{plan}");
    assert!(!plan.contains("Seq Scan on runs"), "a sequential scan in\n{plan}");
    assert!(!plan.contains("Seq Scan on history"), "a sequential scan in\n{plan}");
}

async fn filled() -> Option<(Database, String)> {
    let database = Database::empty().await?;
    database.execute(FILL).await;
    let ids = database.lines("select id::text from runlane.runs where status = 'running' limit 1000").await;
    Some((database, format!("'{{{}}}'::uuid[]", ids.join(","))))
}

#[tokio::test]
async fn a_claim_reads_the_front_of_the_ready_index_and_updates_by_place() {
    let Some((database, _)) = filled().await else { return };
    let worker = "gen_random_uuid()";
    let turn = ["array['default']", "array['default']", "array[1000]", "array[0]", "array[0]"];
    let arguments = [&[worker, "'host'", NOW, "30000000"], &turn[..]].concat();
    let plan = plan(&database, sql!("claim"), &arguments).await;
    assert_by_index(&plan, "runs_ready");
    assert!(plan.contains("Tid Scan on runs"), "{plan}");
    assert!(!plan.contains("Sort"), "the index is in the order of claiming:\n{plan}");
}

#[tokio::test]
async fn a_finish_finds_its_runs_by_id() {
    let Some((database, ids)) = filled().await else { return };
    let outputs = "array_fill(null::json, array[1000])";
    let plan = plan(&database, sql!("finish_plain"), &[&ids, "1", outputs, NOW]).await;
    assert_by_index(&plan, "runs_pkey");
}

#[tokio::test]
async fn a_renewal_finds_its_runs_by_id() {
    let Some((database, ids)) = filled().await else { return };
    assert_by_index(&plan(&database, sql!("renew"), &[&ids, "1", NOW, "30000000"]).await, "runs_pkey");
}

#[tokio::test]
async fn locking_runs_finds_them_by_id() {
    let Some((database, ids)) = filled().await else { return };
    assert_by_index(&plan(&database, sql!("lock_runs"), &[&ids]).await, "runs_pkey");
    assert_by_index(&plan(&database, sql!("mark_awaited"), &[&ids]).await, "runs_pkey");
}

#[tokio::test]
async fn looking_for_known_ids_reads_no_history() {
    let Some((database, ids)) = filled().await else { return };
    let plan = plan(&database, sql!("known_runs"), &["array['default']", &ids]).await;
    assert_by_index(&plan, "runs_pkey");
    assert_by_index(&plan, "history_pkey");
}

#[tokio::test]
async fn streams_are_found_by_jumping_along_the_ready_index() {
    let Some((database, _)) = filled().await else { return };
    let full = sql!("ready_streams").split("-- then").next().expect("a first step");
    assert_by_index(&plan(&database, full, &[]).await, "runs_ready");
}

#[tokio::test]
async fn the_front_of_a_lane_is_found_by_index() {
    let Some((database, _)) = filled().await else { return };
    let plan = plan(&database, sql!("lane_fronts"), &["array['default']", "array['a lane']"]).await;
    assert_by_index(&plan, "runs_lane_front");
    assert_by_index(&plan, "runs_lane_line");
}

#[tokio::test]
async fn a_list_merges_live_and_finished_runs_in_order() {
    let Some((database, _)) = filled().await else { return };
    let none = ["null", "'{}'", "null", "null", "null", "51"];
    let arguments = [&["'default'"], &none[..]].concat();
    let plan = plan(&database, sql!("runs"), &arguments).await;
    assert!(plan.contains("Merge Append"), "{plan}");
    assert_by_index(&plan, "history_pkey");
}
