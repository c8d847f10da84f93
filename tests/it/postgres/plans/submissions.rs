//! The plans of submissions: new ids, keys and remembered requests.

use super::{FILL, NOW, assert_by_index, check, ids};
use crate::postgres::fixture::Database;

#[tokio::test]
async fn the_ids_of_new_runs_are_looked_for_once_and_if_need_be_one_by_one_and_never_among_all_finished_ones() {
    let same = |value: &str| format!("array_fill({value}, array[1000])");
    let columns = ["'default'::text", "'noop'::text", "'default'::text", "0::smallint", "'{}'::json", "null::json"];
    let columns = [&columns[..], &["3", "null::int", "null::text"]].concat().into_iter().map(same).collect::<Vec<_>>();
    let different = format!("insert_ready({}, {}, array['default']", ids(), columns.join(", "));
    let payloads = same("'{}'::json");
    let alike =
        format!("insert_alike({}, {payloads}, 'default', 'noop', 'default', 0::smallint, null, 3, null, null", ids());
    for insert in [different, alike] {
        // Between the lowest and the highest of all ids there is something as soon as there is anything.
        let (lowest, highest) = (uuid::Uuid::nil(), uuid::Uuid::max());
        let insert = format!(
            "select count(stored)::text from runlane.{insert}, '{lowest}', '{highest}', {NOW}, 'nobody', null) as stored"
        );
        assert_looks_for_ids(&insert).await;
    }
}

async fn assert_looks_for_ids(insert: &str) {
    let Some(database) = Database::empty().await else { return };
    // It is a function, whose plans are not shown: so what it has read is looked at.
    let reads = "select relname || ': ' || seq_scan || ' scans, ' || idx_scan || ' by index'
        from pg_stat_xact_user_tables where relname in ('runs', 'history') order by relname";
    for (fill, looks) in [("", 1), (FILL, 1001)] {
        database.execute(fill).await;
        database.execute("vacuum analyze runlane.runs, runlane.history").await;
        // A session that has read nothing yet.
        let client = database.another().await;
        let lines = async |sql: &str| -> Vec<String> {
            let rows = client.query(sql, &[]).await.expect("the query runs");
            rows.iter().map(|row| row.get(0)).collect()
        };
        client.batch_execute("begin").await.expect("begun");
        assert_eq!(lines(insert).await, ["1"]);
        assert_eq!(
            lines(reads).await,
            [format!("history: 0 scans, {looks} by index"), "runs: 0 scans, 0 by index".to_owned()]
        );
    }
}

#[tokio::test]
async fn looking_for_known_ids_reads_what_lies_between_them() {
    let between = sql!("known_runs").split("-- then").next().expect("a first step");
    let id = "gen_random_uuid()";
    check(between, &["array['default']", id, id, "1001"], |plan| {
        assert_by_index(plan, "runs_pkey");
        assert_by_index(plan, "history_pkey");
        let all = "((workspace = named.workspace) AND (id >= $2) AND (id <= $3))";
        assert!(plan.contains(all), "{plan}");
    })
    .await;
}

#[tokio::test]
async fn looking_for_scattered_ids_looks_each_up_in_history() {
    let named = sql!("known_runs").split("-- then").nth(1).expect("a second step");
    let (_, named) = named.split_once('\n').expect("a statement after the comment");
    let workspaces = "array_fill('default'::text, array[1000])";
    check(named, &[workspaces, &ids()], |plan| {
        assert_by_index(plan, "runs_pkey");
        assert_by_index(plan, "history_pkey");
        let both = "((workspace = named.workspace) AND (id = named.id))";
        assert!(plan.contains(both), "{plan}");
    })
    .await;
}

#[tokio::test]
async fn runs_are_found_by_their_keys() {
    check(sql!("keyed_runs"), &["array['default']", "array['a key']"], |plan| {
        let both = "((workspace = named.workspace) AND (key = named.key))";
        assert!(plan.contains(both), "{plan}");
        assert_by_index(plan, "runs_key");
        assert_by_index(plan, "runs_pkey");
    })
    .await;
}

#[tokio::test]
async fn remembered_keys_are_found_by_index() {
    check(sql!("remembered"), &["array['default']", "array['a key']"], |plan| {
        assert!(plan.contains("((workspace = named.workspace) AND (key = named.key))"), "{plan}");
        assert_by_index(plan, "idempotency_pkey");
    })
    .await;
}
