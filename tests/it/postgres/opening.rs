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
async fn a_database_of_the_first_version_is_brought_up_to_date() {
    let Some(database) = Database::empty().await else { return };
    database.execute("drop schema runlane cascade; create schema runlane").await;
    database.execute(include_str!("../../../src/store/postgres/migrations/0001_initial.sql")).await;
    database
        .execute(
            "create table runlane.migrations (
                version bigint primary key, applied_at timestamptz not null default clock_timestamp());
             insert into runlane.migrations (version) values (1)",
        )
        .await;
    let error = refusal(&database.url).await;
    assert!(matches!(error, StoreError::OlderSchema { found: 1, .. }), "{error:?}");
    assert_eq!(PostgresStore::migrate(&database.url).await.expect("migrate").0, 1);
    PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
}

const BEFORE_NAMES: [&str; 10] = [
    include_str!("../../../src/store/postgres/migrations/0001_initial.sql"),
    include_str!("../../../src/store/postgres/migrations/0002_access.sql"),
    include_str!("../../../src/store/postgres/migrations/0003_schedules.sql"),
    include_str!("../../../src/store/postgres/migrations/0004_lean_writes.sql"),
    include_str!("../../../src/store/postgres/migrations/0005_fewer_writes.sql"),
    include_str!("../../../src/store/postgres/migrations/0006_plain_inserts.sql"),
    include_str!("../../../src/store/postgres/migrations/0007_blocks_of_numbers.sql"),
    include_str!("../../../src/store/postgres/migrations/0008_alike.sql"),
    include_str!("../../../src/store/postgres/migrations/0009_postponements.sql"),
    include_str!("../../../src/store/postgres/migrations/0010_workers.sql"),
];

/// Schedules as databases had them before names were unique.
const TWINS: &str = r#"
    insert into runlane.grants (id, workspace, user_id, billing_account, scopes, created_at)
    values ('00000000-0000-0000-0000-000000000000', 'default', 'ada', 'acme', '{*}', now());
    insert into runlane.schedules (id, workspace, grant_id, spec, version, created_at, updated_at, since)
    select id::uuid, workspace, '00000000-0000-0000-0000-000000000000', spec::json, 1, to_timestamp(age), now(), now()
    from (values
        ('00000000-0000-0000-0000-000000000001', 'default', 0, '{"name":"a \"b\" \\","payload":{"z":1.00,"a":"x"}}'),
        ('00000000-0000-0000-0000-0000abcdef02', 'default', 1, '{"name":"a \"b\" \\","payload":{"z":1.00,"a":"x"}}'),
        ('00000000-0000-0000-0000-000000000003', 'other', 0, '{"name":"a \"b\" \\","payload":null}')
    ) as twins (id, workspace, age, spec);"#;

#[tokio::test]
async fn of_schedules_that_share_a_name_the_oldest_keeps_it() {
    let Some(database) = Database::empty().await else { return };
    database.execute("drop schema runlane cascade; create schema runlane").await;
    for migration in BEFORE_NAMES {
        database.execute(migration).await;
    }
    database
        .execute(
            "create table runlane.migrations (
                version bigint primary key, applied_at timestamptz not null default clock_timestamp());
             insert into runlane.migrations (version) values (10)",
        )
        .await;
    database.execute(TWINS).await;
    PostgresStore::migrate(&database.url).await.expect("migrate");
    let specs = database.lines("select spec::text from runlane.schedules order by id").await;
    let expected = [
        r#"{"name":"a \"b\" \\","payload":{"z":1.00,"a":"x"}}"#,
        r#"{"name":"a \"b\" \\","payload":null}"#,
        r#"{"name":"a \"b\" \\-abcdef02","payload":{"z":1.00,"a":"x"}}"#,
    ];
    assert_eq!(specs, expected);
}
