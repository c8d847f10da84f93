//! What attempts used up, charged once and to the account of their grant.

use super::prelude::*;
use super::schedule_grants::a_schedule;
use crate::store::{Usage, UsageFilter, UsageSum};

pub(super) async fn what_an_attempt_used_up_is_summed_under_its_reference(bench: Bench) {
    let claimed = bench.running().await;
    bench.use_up(&claimed, &[("tokens", 100), ("pages", 2)]).await;
    bench.use_up(&claimed, &[("tokens", 20)]).await;
    let usage = |unit: &str, amount| Usage { run: claimed.run.id, attempt: 1, unit: unit.into(), amount };
    assert_eq!(bench.usage_of(claimed.run.id).await, [usage("pages", 2), usage("tokens", 120)]);
}

pub(super) async fn every_attempt_has_its_own_usage(bench: Bench) {
    let first = bench.running().await;
    bench.use_up(&first, &[("tokens", 5)]).await;
    bench.fail(&first).await;
    bench.wait_for_retry().await;
    let second = bench.claim_one(&a_worker()).await;
    bench.use_up(&second, &[("tokens", 7)]).await;
    let amounts: Vec<(u32, u64)> = bench.usage_of(first.run.id).await.iter().map(|u| (u.attempt, u.amount)).collect();
    assert_eq!(amounts, [(1, 5), (2, 7)]);
}

pub(super) async fn a_stale_word_is_not_charged(bench: Bench) {
    let lost = bench.running().await;
    bench.use_up(&lost, &[("tokens", 5)]).await;
    bench.lose_workers().await;
    let adopted = bench.claim_one(&a_worker()).await;
    assert_eq!(bench.try_use_up(&lost, &[("tokens", 5)]).await, AppendOutcome::LeaseLost);
    bench.use_up(&adopted, &[("tokens", 1)]).await;
    let usage = bench.usage_of(lost.run.id).await;
    assert_eq!((usage.len(), usage[0].amount), (1, 6), "an adoption goes on with the same attempt");
}

pub(super) async fn usage_is_charged_to_the_account_of_the_grant(bench: Bench) {
    bench.schedule(a_schedule().every(60)).await;
    let scheduled = bench.start_slot(60).await;
    bench.use_up(&scheduled, &[("tokens", 10)]).await;
    let plain = bench.started(a_run().task("other")).await;
    bench.use_up(&plain, &[("tokens", 3)]).await;
    let sums = bench.usage(UsageFilter::default()).await;
    let seen: Vec<_> =
        sums.iter().map(|sum| (sum.account.as_ref().map(|a| a.as_str()), sum.task.as_str(), sum.amount)).collect();
    assert_eq!(seen, [(None, "other", 3), (Some("acme"), "work", 10)]);
}

pub(super) async fn usage_is_summed_by_day_task_and_unit(bench: Bench) {
    for (task, unit, amount) in [("a", "tokens", 1), ("a", "tokens", 2), ("b", "tokens", 4), ("a", "pages", 8)] {
        let claimed = bench.started(a_run().task(task)).await;
        bench.use_up(&claimed, &[(unit, amount)]).await;
        bench.succeed(&claimed).await;
    }
    let midnight = bench.ahead(16 * 3600);
    bench.wait(16 * 3600);
    let claimed = bench.started(a_run().task("a")).await;
    bench.use_up(&claimed, &[("tokens", 16)]).await;
    let sums = bench.usage(UsageFilter::default()).await;
    let seen: Vec<_> = sums.iter().map(|s| (s.day.day(), s.task.as_str(), s.unit.as_str(), s.amount)).collect();
    assert_eq!(seen, [(15, "a", "pages", 8), (15, "a", "tokens", 3), (15, "b", "tokens", 4), (16, "a", "tokens", 16)]);
    let only = |filter| async { bench.usage(filter).await.iter().map(|sum| sum.amount).sum::<u64>() };
    assert_eq!(only(UsageFilter { from: Some(midnight), ..UsageFilter::default() }).await, 16);
    assert_eq!(only(UsageFilter { until: Some(midnight), ..UsageFilter::default() }).await, 15);
    assert_eq!(only(UsageFilter { unit: Some("pages".into()), ..UsageFilter::default() }).await, 8);
    assert_eq!(only(UsageFilter { task: Some(task("b")), ..UsageFilter::default() }).await, 4);
}

pub(super) async fn foreign_usage_is_not_shown(bench: Bench) {
    let other = bench.workspace("other").await;
    let claimed = bench.running().await;
    bench.use_up(&claimed, &[("tokens", 1)]).await;
    assert_eq!(bench.store.usage(&other, &UsageFilter::default()).await.expect("answers"), []);
    assert_eq!(bench.store.usage_of(&other, &[claimed.run.id]).await.expect("answers"), []);
}

pub(super) async fn usage_outlives_its_run(bench: Bench) {
    let claimed = bench.running().await;
    bench.use_up(&claimed, &[("tokens", 1)]).await;
    bench.succeed(&claimed).await;
    bench.wait(10);
    let retention = Retention { finished: seconds(5), workers: seconds(5), audit: seconds(5), usage: seconds(60) };
    let pruned = bench.store.prune(&retention, 100).await.expect("prune answers");
    assert_eq!((pruned.runs, pruned.usage), (1, 0));
    assert_eq!(bench.usage(UsageFilter::default()).await.len(), 1);
    bench.wait(60);
    assert_eq!(bench.store.prune(&retention, 100).await.expect("prune answers").usage, 1);
}

impl Bench {
    async fn try_use_up(&self, claimed: &Claimed, amounts: &[(&str, u64)]) -> AppendOutcome {
        let said: Vec<String> = amounts.iter().map(|(unit, amount)| format!("{unit:?}:{amount}")).collect();
        let data = json(&format!(r#"{{"usage":{{{}}}}}"#, said.join(",")));
        let append = Append { lease: claimed.lease(), events: vec![NewEvent { kind: EventKind::Usage, data }] };
        self.store.append(&[append]).await.expect("append answers")[0]
    }

    async fn use_up(&self, claimed: &Claimed, amounts: &[(&str, u64)]) {
        let outcome = self.try_use_up(claimed, amounts).await;
        assert!(matches!(outcome, AppendOutcome::Appended { .. }), "{outcome:?}");
    }

    async fn usage_of(&self, run: RunId) -> Vec<Usage> {
        self.store.usage_of(&home(), &[run]).await.expect("usage_of answers")
    }

    async fn usage(&self, filter: UsageFilter) -> Vec<UsageSum> {
        self.store.usage(&home(), &filter).await.expect("usage answers")
    }
}
