//! Workspaces take turns, so that none waits for another's crowd.

use super::prelude::*;
use crate::run::WorkspaceName;

impl Bench {
    async fn crowd(&self, workspace: &str, runs: usize) {
        self.workspace(workspace).await;
        self.submit_all((0..runs).map(|_| a_run().of(workspace))).await;
    }

    /// Claims once, and says whose runs it got and whose turn was last.
    async fn turns(&self, capacity: usize, last: Option<WorkspaceName>) -> (Vec<String>, Option<WorkspaceName>) {
        let mut request = a_worker().asks_for(capacity);
        request.last_turn = last;
        let claim = self.claim_as(&request).await;
        (claim.runs.iter().map(|claimed| claimed.run.workspace.to_string()).collect(), claim.last_turn)
    }

    /// Claims one by one, handing on whose turn was last.
    async fn single_turns(&self, claims: usize) -> Vec<String> {
        let (mut served, mut last) = (Vec::new(), None);
        for _ in 0..claims {
            let (runs, turn) = self.turns(1, last).await;
            served.extend(runs);
            last = turn;
        }
        served
    }
}

pub(super) async fn a_crowd_delays_another_workspace_by_no_more_than_a_batch(bench: Bench) {
    bench.crowd("a", 100).await;
    bench.crowd("z", 1).await;
    let (served, _) = bench.turns(10, None).await;
    assert_eq!(served.len(), 10);
    assert_eq!(served.iter().filter(|name| *name == "z").count(), 1, "{served:?}");
}

pub(super) async fn a_crowd_that_comes_before_and_after_by_name_delays_no_one(bench: Bench) {
    bench.crowd("z", 100).await;
    bench.crowd("a", 100).await;
    bench.crowd("m", 1).await;
    let (served, _) = bench.turns(10, None).await;
    assert!(served.contains(&"m".to_owned()), "{served:?}");
}

pub(super) async fn a_batch_is_dealt_out_in_turns(bench: Bench) {
    bench.crowd("b", 5).await;
    bench.crowd("a", 5).await;
    bench.crowd("c", 1).await;
    assert_eq!(bench.turns(7, None).await.0, ["a", "b", "c", "a", "b", "a", "b"]);
}

pub(super) async fn one_by_one_workspaces_alternate(bench: Bench) {
    bench.crowd("a", 10).await;
    bench.crowd("b", 10).await;
    assert_eq!(bench.single_turns(6).await, ["a", "b", "a", "b", "a", "b"]);
}

pub(super) async fn the_next_batch_begins_after_the_last_turn(bench: Bench) {
    bench.crowd("a", 5).await;
    bench.crowd("b", 5).await;
    bench.crowd("c", 5).await;
    let (served, last) = bench.turns(4, None).await;
    assert_eq!(served, ["a", "b", "c", "a"]);
    assert_eq!(bench.turns(3, last).await.0, ["b", "c", "a"]);
}

pub(super) async fn an_empty_claim_does_not_forget_whose_turn_was_last(bench: Bench) {
    bench.crowd("a", 1).await;
    let (_, last) = bench.turns(1, None).await;
    let (served, last) = bench.turns(1, last).await;
    assert_eq!(served, Vec::<String>::new());
    bench.crowd("a", 5).await;
    bench.crowd("b", 5).await;
    assert_eq!(bench.turns(1, last).await.0, ["b"]);
}

pub(super) async fn a_workspace_alone_has_every_turn(bench: Bench) {
    bench.crowd("a", 5).await;
    assert_eq!(bench.single_turns(5).await, ["a"; 5]);
}

pub(super) async fn priority_counts_within_a_workspace_only(bench: Bench) {
    bench.crowd("a", 3).await;
    bench.workspace("b").await;
    bench.submit_all((0..3).map(|_| a_run().of("b").priority(1000))).await;
    assert_eq!(bench.turns(4, None).await.0, ["a", "b", "a", "b"]);
}

pub(super) async fn a_workspaces_queues_share_its_turns(bench: Bench) {
    bench.workspace("a").await;
    let crowd = (0..20).map(|n| a_run().of("a").queue(if n % 2 == 0 { "x" } else { "y" }));
    bench.submit_all(crowd).await;
    bench.crowd("b", 20).await;
    assert_eq!(bench.turns(6, None).await.0, ["a", "b", "a", "b", "a", "b"]);
}

pub(super) async fn within_a_turn_priority_and_age_decide_across_queues(bench: Bench) {
    let old = bench.submit(a_run().queue("x")).await;
    let urgent = bench.submit(a_run().queue("y").priority(1)).await;
    let young = bench.submit(a_run().queue("y")).await;
    let younger = bench.submit(a_run().queue("x")).await;
    assert_eq!(bench.claim_ids(&a_worker(), 10).await, [urgent, old, young, younger]);
}

pub(super) async fn a_workspace_without_room_leaves_its_turn_to_others(bench: Bench) {
    bench.crowd("a", 5).await;
    bench.crowd("b", 5).await;
    let limit = QueueChange { paused: None, concurrency: Some(Some(1)) };
    bench.store.set_queue(&workspace("a"), &queue("default"), limit).await.expect("set_queue answers");
    assert_eq!(bench.turns(4, None).await.0, ["a", "b", "b", "b"]);
}

pub(super) async fn a_workspace_whose_queues_are_not_served_has_no_turn(bench: Bench) {
    bench.crowd("a", 5).await;
    bench.workspace("b").await;
    bench.submit_all((0..2).map(|_| a_run().of("b").queue("mail"))).await;
    let served = bench.claim(&a_worker().serving(&["mail"]), 10).await;
    assert_eq!(served.iter().map(|claimed| claimed.run.workspace.as_str()).collect::<Vec<_>>(), ["b", "b"]);
}
