//! What runs used up, on the run and in sums.

use serde_json::json;

use super::Site;
use super::schedules::{path, schedule};

#[tokio::test]
async fn usage_is_shown_on_its_run_and_summed_by_who_pays() {
    let site = Site::new().await;
    let grant = json!({"user_id": "ada", "billing_account": "lab", "scopes": ["report"]});
    let made = schedule(&site, json!({"task": "report", "cron": "@yearly", "grant": grant})).await;
    site.tell(&path(&made, "/trigger")).await;
    let claimed = site.claim().await;
    site.use_up(claimed.lease(), "tokens", 100).await;
    site.use_up(claimed.lease(), "tokens", 20).await;
    site.use_up(claimed.lease(), "pages", 3).await;
    let plain = site.submit(json!({"task": "echo"})).await;
    let other = site.claim().await;
    site.use_up(other.lease(), "tokens", 5).await;
    site.succeed(claimed.lease(), json!(1)).await;

    let run = site.get(&format!("/v1/runs/{}", claimed.run.id)).await.body;
    assert_eq!(run["usage"], json!({"pages": 3, "tokens": 120}));
    let runs = site.get("/v1/runs").await.body;
    let listed: Vec<_> = runs["data"].as_array().expect("runs").iter().map(|run| &run["usage"]).collect();
    assert!(listed.contains(&&json!({"tokens": 5})) && listed.contains(&&json!({})), "{listed:?}");
    assert_eq!(site.get(&format!("/v1/runs/{plain}")).await.body["schedule_id"], json!(null));

    let sums = async |query: &str| {
        let found = site.get(&format!("/v1/usage{query}")).await.body;
        let data = found["data"].as_array().expect("sums").clone();
        data.iter().map(|sum| json!([sum["account"], sum["task"], sum["unit"], sum["amount"]])).collect::<Vec<_>>()
    };
    let (none, pages, tokens) = (
        json!([null, "echo", "tokens", 5]),
        json!(["lab", "report", "pages", 3]),
        json!(["lab", "report", "tokens", 120]),
    );
    assert_eq!(sums("").await, [none.clone(), pages.clone(), tokens.clone()]);
    assert_eq!(sums("?account=lab").await, [pages, tokens.clone()]);
    assert_eq!(sums("?unit=tokens&task=report").await, [tokens]);
    assert_eq!(sums("?from=2020-01-01&task=echo&until=2090-01-01T00:00:00Z").await, [none]);
    assert!(sums("?until=2020-01-01").await.is_empty());
    let day = site.get("/v1/usage").await.body["data"][0]["day"].as_str().expect("a day").len();
    assert_eq!(day, "2026-11-16".len());
    for (query, field) in [("from=soon", "from"), ("until=13", "until"), ("account=", "account")] {
        let refused = site.get(&format!("/v1/usage?{query}")).await;
        assert_eq!(refused.is_problem("invalid_parameter").body["field"], field);
    }
    site.get("/v1/usage?group=week").await.is_problem("unknown_parameter");
}
