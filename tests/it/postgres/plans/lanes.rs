//! The plans of lanes.

use super::{NOW, assert_by_index, check, ids};

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
