//! The plans of claims, adoptions and the search for streams.

use super::{NOW, assert_by_index, check, explain};
use crate::postgres::fixture::Database;

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
async fn the_leases_of_a_worker_are_found_among_the_running() {
    check(sql!("leases_of"), &["gen_random_uuid()"], |plan| assert_by_index(plan, "runs_running")).await;
}

/// How many steps a scan for streams takes, by what the database says it did.
async fn steps_of_a_scan(fill: &str) -> Option<usize> {
    let database = Database::empty().await?;
    let columns = "id, workspace, task, queue, priority, status, payload, max_attempts, attempts_granted, available_at,
        requested_at";
    let rest = "0, 'queued', '{}', 3, 3, now(), now()";
    database.execute(&format!("insert into runlane.runs ({columns}) select gen_random_uuid(), {fill}, {rest} from generate_series(1, 3000) as g")).await;
    database
        .execute(&format!(
            "insert into runlane.runs ({columns}) values (gen_random_uuid(), 'other', 'noop', 'q', {rest})"
        ))
        .await;
    database.execute("vacuum analyze runlane.runs").await;
    let scan = sql!("ready_streams").split("-- then").next().expect("a first step");
    let none = "array[]::text[]";
    let how = "explain (analyze, costs off, timing off, summary off)";
    let plan = explain(&database, how, "", scan, &["array['noop']", none, "100", none, none, none]).await;
    let line = plan.lines().find(|line| line.contains("Recursive Union")).expect("a recursion");
    let rows = line.split("rows=").nth(1).and_then(|rest| rest.split([' ', ')', '.']).next());
    rows.and_then(|rows| rows.parse().ok())
}

/// 300,000 names or 3,000: a scan sees 100 of each workspace and goes on to the next.
#[tokio::test]
async fn many_queues_of_one_workspace_do_not_delay_a_claim_of_another() {
    let Some(steps) = steps_of_a_scan("'crowd', 'noop', 'queue ' || g").await else { return };
    assert!((100..110).contains(&steps), "{steps} steps");
}

#[tokio::test]
async fn a_backlog_of_a_task_that_the_worker_lacks_does_not_delay_a_claim() {
    let Some(steps) = steps_of_a_scan("'other', 'lacking', 'q'").await else { return };
    assert!(steps < 10, "{steps} steps");
}
