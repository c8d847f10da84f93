//! The plans of what changes runs: finish, renew, update, end, revive.

use super::{NOW, and_columns, assert_by_index, check, explain, ids, steps};
use crate::postgres::fixture::Database;

/// How long ago each of a thousand runs began.
const AGO: &str = "array_fill(0::bigint, array[1000])";

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
async fn a_change_of_runs_finds_them_by_id_and_writes_them_by_place() {
    check(sql!("update_runs"), &and_columns(&ids(), sql!("update_runs")), |plan| {
        assert!(plan.contains("Index Cond: (id = new.id)"), "{plan}");
        assert!(plan.contains("TID Cond: (ctid = old.ctid)"), "{plan}");
        let unguarded = |line: &str| line.contains("Join Filter") && !line.contains("revision");
        assert!(!plan.lines().any(unguarded), "every row is compared with every other:\n{plan}");
    })
    .await;
}

#[tokio::test]
async fn the_end_of_runs_and_their_return_find_them_by_id() {
    check(sql!("end_runs"), &and_columns(&ids(), sql!("end_runs")), |plan| {
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
    check(sql!("revive_runs"), &and_columns(&ids(), sql!("revive_runs")), |plan| {
        assert!(plan.contains("((workspace = new.workspace) AND (id = new.id))"), "{plan}");
        assert!(plan.contains("TID Cond: (ctid = old.ctid)"), "{plan}");
        assert_by_index(plan, "history_pkey");
    })
    .await;
}
