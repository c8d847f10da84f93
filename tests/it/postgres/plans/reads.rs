//! The plans of reads.

use super::{FILL, NOW, assert_by_index, check, steps};
use crate::postgres::fixture::Database;

#[tokio::test]
async fn a_token_is_found_by_its_hash() {
    check(sql!("authenticate"), &["''::bytea", NOW], |plan| assert_by_index(plan, "tokens_hash")).await;
}

#[tokio::test]
async fn the_audit_log_is_read_from_where_the_page_starts() {
    let Some(database) = Database::empty().await else { return };
    database.execute(FILL).await;
    database.execute("vacuum analyze runlane.audit").await;
    let pages =
        [("null, null, 51", "audit_pkey"), ("null, 9000, 51", "audit_pkey"), ("'small', 9000, 51", "audit_workspace")];
    for (page, index) in pages {
        database.execute(include_str!("../../../../src/store/postgres/begin_read.sql")).await;
        database.execute(&format!("deallocate all; prepare statement as {}", sql!("audit"))).await;
        let plan =
            database.lines(&format!("explain execute statement ({page}, null, null, null, null)")).await.join("\n");
        database.execute("rollback").await;
        assert_by_index(&plan, index);
    }
}

#[tokio::test]
async fn a_list_merges_live_and_finished_runs_in_order() {
    let none = ["null", "'{}'", "null", "null", "null", "51"];
    let arguments = [&["'default'"], &none[..]].concat();
    let (of_all, _) = sql!("runs").split_once("-- then").expect("two statements");
    check(of_all, &arguments, |plan| {
        assert!(plan.contains("Merge Append"), "{plan}");
        assert_by_index(plan, "history_pkey");
    })
    .await;
}

#[tokio::test]
async fn a_read_is_planned_for_the_tables_as_they_are() {
    let Some(database) = Database::empty().await else { return };
    database.execute("vacuum analyze runlane.runs, runlane.history").await;
    database.execute(&format!("deallocate all; prepare statement as {}", sql!("run"))).await;
    let begin = include_str!("../../../../src/store/postgres/begin_read.sql");
    let id = uuid::Uuid::now_v7();
    // More often than PostgreSQL looks on before it settles for a plan.
    for _ in 0..10 {
        database.execute(&format!("{begin}; execute statement ('default', '{id}'); commit")).await;
    }
    database.execute(FILL).await;
    database.execute(begin).await;
    let plan = database.lines(&format!("explain execute statement ('default', '{id}')")).await.join("\n");
    database.execute("rollback").await;
    assert_by_index(&plan, "runs_pkey");
    assert_by_index(&plan, "history_pkey");
}

/// With ever more finished and live runs, `explain` and `doctor` read what they show and little else.
#[tokio::test]
async fn what_keeps_a_run_from_starting_is_read_by_index() {
    let Some(database) = Database::empty().await else { return };
    database.execute(FILL).await;
    database.execute("vacuum analyze runlane.runs, runlane.queues").await;
    let [busy, before, workers] = steps(sql!("position"));
    let cases = [
        (busy, "'default', 'default'", "runs_running"),
        (before, "'default', 'default', 0, 9000000, 1000", "runs_ready"),
        (workers, "'default', array[gen_random_uuid()]", "runs_running"),
        (sql!("waiting_tasks"), "1000", "runs_pkey"),
    ];
    for (sql, arguments, index) in cases {
        database.execute(include_str!("../../../../src/store/postgres/begin_read.sql")).await;
        database.execute(&format!("deallocate all; prepare statement as {sql}")).await;
        let plan = database.lines(&format!("explain execute statement ({arguments})")).await.join("\n");
        database.execute("rollback").await;
        assert_by_index(&plan, index);
    }
}
