//! Connecting: what an operator reads when it does not work.

use runlane::clock::Clock;
use runlane::store::StoreError;
use runlane::store::postgres::PostgresStore;

use super::fixture::Database;

async fn refusal(url: &str) -> StoreError {
    match PostgresStore::connect(url, Clock::Database).await {
        Ok(_) => panic!("the store opened"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn an_unreachable_server_is_named_without_the_password() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    let error = refusal(&format!("postgres://me:secret@127.0.0.1:{port}/app")).await;
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("cannot reach the database at 127.0.0.1:{port}/app"));
}

#[tokio::test]
async fn a_database_that_was_never_migrated_says_what_to_do() {
    let Some(database) = Database::empty().await else { return };
    database.execute("drop schema runlane cascade").await;
    let error = refusal(&database.url).await;
    PostgresStore::migrate(&database.url).await.expect("migrate");
    let message = error.to_string();
    assert!(message.contains("schema version 0") && message.contains("runlane migrate"), "{message}");
}

#[tokio::test]
async fn a_database_newer_than_the_binary_is_refused_and_left_alone() {
    let Some(database) = Database::empty().await else { return };
    database.execute("insert into runlane.migrations (version) values (99)").await;
    let (opening, migrating) = (refusal(&database.url).await, PostgresStore::migrate(&database.url).await);
    database.execute("delete from runlane.migrations where version = 99").await;
    assert!(matches!(opening, StoreError::NewerSchema { found: 99, .. }), "{opening:?}");
    assert!(matches!(migrating, Err(StoreError::NewerSchema { found: 99, .. })), "{migrating:?}");
    assert!(opening.to_string().contains("upgrade runlane"), "{opening}");
}

#[tokio::test]
async fn migrating_twice_or_at_once_is_the_same_as_once() {
    let Some(database) = Database::empty().await else { return };
    for url in [database.url.clone(), database.url_to_the_past()] {
        database.execute("drop schema runlane cascade").await;
        let migrations = (0..4).map(|_| PostgresStore::migrate(&url));
        let versions = futures::future::join_all(migrations).await;
        let mut versions: Vec<(i64, i64)> = versions.into_iter().map(|versions| versions.expect("migrate")).collect();
        versions.sort();
        let known = versions[0].1;
        assert_eq!(versions, [(0, known), (known, known), (known, known), (known, known)]);
    }
}

#[tokio::test]
async fn a_migration_makes_views_and_functions_anew() {
    let Some(database) = Database::empty().await else { return };
    database.execute("drop view runlane.all_runs; drop function runlane.insert_alike").await;
    let (before, after) = PostgresStore::migrate(&database.url).await.expect("migrate");
    assert_eq!(before, after);
    let made = "select to_regclass('runlane.all_runs')::text || ' ' || to_regproc('runlane.insert_alike')::text";
    assert_eq!(database.lines(made).await, ["runlane.all_runs runlane.insert_alike"]);
}
