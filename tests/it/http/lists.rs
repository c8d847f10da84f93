//! Lists, filters and cursors.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Site;

async fn walk(site: &Site, path: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut next = String::new();
    loop {
        let page = site.get(&format!("{path}{next}")).await.body;
        found.extend(page["data"].as_array().expect("items").iter().cloned());
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => return found,
        }
    }
}

#[tokio::test]
async fn pages_follow_each_other_without_gaps() {
    let site = Site::new().await;
    let mut submitted = BTreeSet::new();
    for n in 0..7 {
        submitted.insert(site.submit(json!({"task": "t", "lane": format!("lane {n}")})).await);
    }
    let runs = walk(&site, "/v1/runs?limit=3").await;
    let ids: Vec<String> = runs.iter().map(|run| run["id"].as_str().expect("an id").to_owned()).collect();
    assert_eq!(ids.iter().cloned().collect::<BTreeSet<_>>(), submitted);
    assert!(ids.is_sorted_by(|newer, older| newer > older), "newest first: {ids:?}");
    let lanes = walk(&site, "/v1/lanes?limit=2").await;
    assert_eq!(
        lanes.iter().map(|lane| &lane["name"]).collect::<Vec<_>>(),
        ["lane 0", "lane 1", "lane 2", "lane 3", "lane 4", "lane 5", "lane 6"]
    );
}

#[tokio::test]
async fn a_filter_takes_what_matches_all_of_it() {
    let site = Site::new().await;
    site.submit(json!({"task": "a", "queue": "q"})).await;
    let held = site.submit(json!({"task": "a", "hold": true})).await;
    site.submit(json!({"task": "b", "lane": "l"})).await;
    let count = async |query: &str| site.get(&format!("/v1/runs?{query}")).await.body["data"].as_array().map(Vec::len);
    assert_eq!(count("").await, Some(3));
    assert_eq!(count("task=a").await, Some(2));
    assert_eq!(count("task=a&queue=q").await, Some(1));
    assert_eq!(count("lane=l").await, Some(1));
    assert_eq!(count("status=queued,pending").await, Some(3));
    assert_eq!(count("status=failed").await, Some(0));
    let pending = site.get("/v1/runs?status=pending").await.body;
    assert_eq!(pending["data"][0]["id"], json!(held));
}

#[tokio::test]
async fn a_query_that_makes_no_sense_is_refused_by_name() {
    let site = Site::new().await;
    for (query, code, field) in [
        ("limt=3", "unknown_parameter", "limt"),
        ("limit=0", "invalid_parameter", "limit"),
        ("limit=501", "invalid_parameter", "limit"),
        ("limit=x", "invalid_parameter", "limit"),
        ("limit=1&limit=2", "invalid_parameter", "limit"),
        ("status=done", "invalid_parameter", "status"),
        ("task=", "invalid_parameter", "task"),
        ("cursor=00ff", "invalid_cursor", "cursor"),
    ] {
        let answer = site.get(&format!("/v1/runs?{query}")).await;
        assert_eq!(answer.is_problem(code).body["field"], field, "{query}");
    }
}
