//! The plans of the statements of recurring work, as for those of runs.

use super::{NOW, assert_by_index, check, ids};

#[tokio::test]
async fn schedules_and_grants_are_locked_by_id() {
    check(sql!("lock_schedules"), &[&ids()], |plan| assert_by_index(plan, "schedules_pkey")).await;
    check(sql!("lock_grants"), &[&ids()], |plan| assert_by_index(plan, "grants_pkey")).await;
}

#[tokio::test]
async fn schedules_are_changed_by_place() {
    let seen = ["bigint", "uuid", "timestamptz"];
    let others = ["text", "text", "uuid", "timestamptz", "timestamptz", "timestamptz"];
    let mut arguments = vec![ids()];
    arguments.extend(seen.into_iter().chain(others).map(|of| format!("array[]::{of}[]")));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    check(sql!("move_schedules"), &arguments, |plan| {
        assert_by_index(plan, "schedules_pkey");
        assert!(plan.contains("Tid Scan"), "{plan}");
    })
    .await;
}

#[tokio::test]
async fn a_broken_chain_is_found_by_one_look_for_each_schedule() {
    check(sql!("broken_schedules"), &["10"], |plan| assert_by_index(plan, "runs_pkey")).await;
}

#[tokio::test]
async fn what_is_under_way_of_a_schedule_is_found_by_it() {
    check(sql!("rivals"), &[&ids()], |plan| assert_by_index(plan, "runs_slot")).await;
}

#[tokio::test]
async fn usage_is_charged_and_read_by_its_reference() {
    check(sql!("usage_of"), &["'default'", &ids()], |plan| assert_by_index(plan, "usage_pkey")).await;
}

#[tokio::test]
async fn old_skips_and_usage_are_found_by_their_time() {
    check(sql!("prune_skips"), &[NOW, "0", "10"], |plan| assert_by_index(plan, "skips_at")).await;
    check(sql!("prune_usage"), &[NOW, "0", "10"], |plan| assert_by_index(plan, "usage_at")).await;
}
