//! The plans of the maintenance passes.

use super::{NOW, assert_by_index, check, check_with, ids};

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
    check(sql!("late_runs"), &[NOW, "100"], |plan| {
        assert_by_index(plan, "runs_start_by");
        assert!(plan.contains("Index Cond: (start_by <= "), "runs with a later deadline are read too:\n{plan}");
    })
    .await;
    check(sql!("next_due"), &[NOW], |plan| {
        assert_by_index(plan, "runs_due");
        assert_by_index(plan, "runs_start_by");
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
async fn overdue_attempts_are_found_among_the_running() {
    check(sql!("overdue_runs"), &[NOW, "0", "100"], |plan| {
        assert_by_index(plan, "runs_running");
        assert!(!plan.contains("Sort"), "the index is in the order of submission:\n{plan}");
    })
    .await;
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
