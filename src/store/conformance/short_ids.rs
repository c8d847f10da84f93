//! Finding runs by the end of their id.

use super::prelude::*;
use crate::run::WorkspaceName;

impl Bench {
    async fn ending(&self, workspace: &WorkspaceName, end: &str) -> Vec<RunId> {
        self.store.runs_ending(workspace, end, 10).await.expect("runs_ending answers")
    }
}

fn end_of(run: RunId, digits: usize) -> String {
    let text = run.0.simple().to_string();
    text[text.len() - digits..].to_owned()
}

pub(super) async fn a_run_is_found_by_the_end_of_its_id_live_or_finished(bench: Bench) {
    let (over, live) = (bench.succeeded(a_run()).await, bench.submit(a_run()).await);
    for run in [over, live] {
        for digits in [12, 15, 31] {
            assert_eq!(bench.ending(&home(), &end_of(run, digits)).await, [run]);
        }
    }
    let other_end = if end_of(over, 1) == "0" { "10000000000a" } else { "f00000000000" };
    assert_eq!(bench.ending(&home(), other_end).await, []);
}

pub(super) async fn of_several_that_end_so_no_more_than_the_limit_are_found(bench: Bench) {
    let same_end =
        |first: u128| RunId(uuid::Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_abcd + (first << 80)));
    for first in 0..4 {
        bench.submit(a_run().id(same_end(first))).await;
    }
    assert_eq!(bench.ending(&home(), "abcd").await.len(), 4);
    let two = bench.store.runs_ending(&home(), "abcd", 2).await.expect("runs_ending answers");
    assert_eq!(two.len(), 2);
}

pub(super) async fn the_end_of_an_id_in_another_workspace_finds_nothing(bench: Bench) {
    bench.workspace("other").await;
    let run = bench.submit(a_run()).await;
    assert_eq!(bench.ending(&workspace("other"), &end_of(run, 12)).await, []);
}
