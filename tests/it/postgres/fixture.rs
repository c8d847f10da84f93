//! An empty, migrated database for each test, if there is a server: `scripts/with-postgres` starts one.

use std::time::Duration;

use runlane::store::postgres::PostgresStore;
use tokio_postgres::{Client, NoTls};

/// How many tests may use the server at once. A database is emptied and used again: far quicker than a new one.
const DATABASES: i64 = 16;

const PATIENCE: Duration = Duration::from_secs(30);

/// A database that is this test's alone until it is dropped.
pub struct Database {
    /// Where it is.
    pub url: String,
    client: Client,
    /// Holds the lock that keeps other tests away.
    _lock: Client,
}

impl Database {
    /// `None`, and a word about it, when no server was started for the tests.
    pub async fn empty() -> Option<Self> {
        let Ok(server) = std::env::var("RUNLANE_TEST_POSTGRES") else {
            eprintln!("skipped: RUNLANE_TEST_POSTGRES is not set (make test starts a server)");
            return None;
        };
        let lock = connect(&server).await;
        let name = take_one(&lock).await;
        let url = renamed(&server, &name);
        PostgresStore::migrate(&url).await.expect("migrate");
        let database = Self { client: connect(&url).await, url, _lock: lock };
        database.clear().await;
        Some(database)
    }

    /// The same database through PgBouncer, if that was started.
    pub fn pooled_url(&self) -> Option<String> {
        let pooler = std::env::var("RUNLANE_TEST_PGBOUNCER").ok()?;
        let (_, name) = self.url.rsplit_once('/')?;
        Some(format!("{}?prepared_statements=false", renamed(&pooler, name)))
    }

    /// The same database, for connections whose transactions see only what was there when they began, unless they say otherwise.
    pub fn url_to_the_past(&self) -> String {
        let join = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{join}options=-c%20default_transaction_isolation%3Drepeatable%5C%20read", self.url)
    }

    /// One more connection, for what another process does.
    pub async fn another(&self) -> Client {
        connect(&self.url).await
    }

    /// Forgets every run, and everything else but the workspace `default`.
    pub async fn clear(&self) {
        self.execute(
            "truncate runlane.runs, runlane.history, runlane.waits, runlane.attempts, runlane.events,
                runlane.schedules, runlane.grants, runlane.skips, runlane.usage,
                runlane.idempotency, runlane.lanes, runlane.lane_holds, runlane.queues, runlane.workers,
                runlane.tokens, runlane.audit, runlane.workspaces restart identity;
             insert into runlane.workspaces (name) values ('default')",
        )
        .await;
    }

    /// Keeps everybody from writing to a table and from locking its rows until the answer is dropped or ended. Reads go on.
    pub async fn hold(&self, table: &str) -> Held {
        let client = self.another().await;
        let lock = format!("begin; lock table runlane.{table} in exclusive mode");
        client.batch_execute(&lock).await.expect("locked");
        Held(client)
    }

    /// Waits until at least so many connections wait for a lock.
    pub async fn until_waiting(&self, connections: usize) {
        let waiting =
            "select pid::text from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        let waited = async {
            while self.lines(waiting).await.len() < connections {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waited).await.expect("they wait in time");
    }

    /// Runs statements.
    pub async fn execute(&self, sql: &str) {
        self.client.batch_execute(sql).await.expect("the statements run");
    }

    /// The lines of a query with one text column.
    pub async fn lines(&self, sql: &str) -> Vec<String> {
        self.client.query(sql, &[]).await.expect("the query runs").iter().map(|row| row.get(0)).collect()
    }
}

/// A lock on a table.
pub struct Held(Client);

impl Held {
    pub async fn release(self) {
        self.0.batch_execute("commit").await.expect("released");
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("the test server answers");
    tokio::spawn(connection);
    client
}

/// Takes a database nobody uses, making it if need be. The lock ends with the connection, however a test ends.
async fn take_one(client: &Client) -> String {
    let slot = loop {
        let mut free = None;
        for slot in 0..DATABASES {
            let row = client.query_one("select pg_try_advisory_lock($1)", &[&slot]).await.expect("lock");
            if row.get(0) {
                free = Some(slot);
                break;
            }
        }
        match free {
            Some(slot) => break slot,
            None => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
        }
    };
    let name = format!("runlane_test_{slot}");
    let known = client.query("select 1 from pg_database where datname = $1", &[&name]).await.expect("look");
    if known.is_empty() {
        client.batch_execute(&format!("create database {name}")).await.expect("create database");
    }
    name
}

fn renamed(url: &str, name: &str) -> String {
    let (server, _) = url.rsplit_once('/').expect("the url names a database");
    format!("{server}/{name}")
}
