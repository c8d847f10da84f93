//! What keeps transactions apart is the guard of each write, not a row lock. Each guard has a race of its own: the decision is
//! made, then somebody else changes the row, then the write comes. Without locks and with the guard that ends well; without
//! locks and without the guard it must not, or the test shows nothing.

mod attempts;
mod passes;
mod requests;
#[cfg(feature = "sqlite")]
mod schedules;
pub mod unlocked;

use std::future::Future;
use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::SignedDuration;
use runlane::clock::Clock;
use runlane::run::lifecycle::{Command, Outcome, Retry, Taker};
use runlane::run::{HostName, Json, LaneName, NewRun, RunError, RunId, TaskName, WorkerId, WorkspaceName};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, ClaimRequest, Claimed, Finish, Lease, Store};

use super::fixture::Database;
use crate::mutants::sql::Edit;

/// A guard, and a race that shows what it is for.
struct Guard {
    /// What is guarded against what.
    name: &'static str,
    /// Takes the guard out of its statement.
    without: &'static [Edit],
    /// Statements that find their rows by place. By id they find the row in its new place, too, as a database without places does;
    /// else the place would be a second guard.
    by_id: &'static [Edit],
    /// The statement whose first execution waits until the rival is done, though it has read by then; or none, where the
    /// rival's uncommitted write keeps the guarded one waiting.
    pause: Option<&'static str>,
    /// Answers whether all is well in the end.
    race: fn(Arc<Scene>) -> BoxFuture<'static, bool>,
}

/// Plays the race of every guard with it and without it.
async fn assert_each_counts(guards: &[Guard]) {
    let Some(database) = Database::empty().await else { return };
    let database = Arc::new(database);
    for guard in guards {
        let holds = (guard.race)(Scene::new(&database, guard.pause, guard.by_id).await).await;
        assert!(holds, "{}: wrong in spite of the guard", guard.name);
        let faults = [guard.without, guard.by_id].concat();
        let holds = (guard.race)(Scene::new(&database, guard.pause, &faults).await).await;
        assert!(!holds, "{}: nothing went wrong without the guard", guard.name);
    }
}

/// A database with two stores: `slow` locks no rows, has perhaps a fault, and is overtaken by `quick`, which has none.
struct Scene {
    database: Arc<Database>,
    slow: Arc<PostgresStore>,
    quick: PostgresStore,
}

/// Held while the rival is at work.
const PAUSE: i64 = 7;

impl Scene {
    async fn new(database: &Arc<Database>, pause: Option<&'static str>, faults: &[Edit]) -> Arc<Self> {
        database.clear().await;
        // In the condition, so that it is waited for once the statement has its snapshot.
        let pauses = pause.map(|statement| match statement {
            "waiting" => {
                (statement, "run = any($1)", "run = any($1) and (select pg_advisory_xact_lock_shared(7) is not null)")
            }
            _ => (statement, "order by id", "and (select pg_advisory_xact_lock_shared(7) is not null) order by id"),
        });
        let edits: Vec<Edit> = pauses.into_iter().chain(faults.iter().copied()).collect();
        let slow = Arc::new(unlocked::unlocked(&database.url, Clock::Database, &edits).await);
        let quick = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
        Arc::new(Self { database: Arc::clone(database), slow, quick })
    }

    /// Lets `verb` of the slow store read, then the rival act, and then the verb go on.
    async fn overtaken<T: Send + 'static>(
        &self,
        verb: impl Future<Output = T> + Send + 'static,
        rival: impl Future<Output = ()>,
    ) -> T {
        let gate = self.database.another().await;
        gate.batch_execute(&format!("select pg_advisory_lock({PAUSE})")).await.expect("locked");
        let verb = tokio::spawn(verb);
        self.database.until_waiting(1).await;
        rival.await;
        gate.batch_execute(&format!("select pg_advisory_unlock({PAUSE})")).await.expect("unlocked");
        verb.await.expect("no panic")
    }

    /// Writes what a rival would, lets `verb` run into that, and commits.
    async fn meets<T: Send + 'static>(&self, rival: &str, verb: impl Future<Output = T> + Send + 'static) -> T {
        let client = self.database.another().await;
        client.batch_execute(&format!("begin; {rival}")).await.expect("written");
        let verb = tokio::spawn(verb);
        self.database.until_waiting(1).await;
        client.batch_execute("commit").await.expect("committed");
        verb.await.expect("no panic")
    }

    async fn submit(&self, run: &NewRun) {
        self.quick.submit(std::slice::from_ref(run), Admission::default()).await.expect("submitted");
    }

    /// What the quick store hands out.
    async fn claim(&self) -> Vec<Claimed> {
        self.quick.claim(&asks()).await.expect("a claim").runs
    }

    async fn command(&self, run: RunId, command: Command) {
        let answer = self.quick.command(&WorkspaceName::default(), &[run], command, Admission::default()).await;
        answer.expect("an answer");
    }

    /// An expression about the one live run with this id.
    async fn of_run(&self, run: RunId, expression: &str) -> Option<String> {
        let sql = format!("select coalesce(({expression})::text, 'null') from runlane.runs where id = '{run}'");
        self.database.lines(&sql).await.pop()
    }

    /// Whether an expression over the whole database is true.
    async fn holds(&self, expression: &str) -> bool {
        self.database.lines(&format!("select ({expression})::text")).await == ["true"]
    }

    async fn write(&self, sql: &str) {
        self.database.execute(sql).await;
    }
}

fn a_run() -> NewRun {
    NewRun::of(TaskName::parse("work").expect("a name"), Json::null())
}

fn in_lane() -> NewRun {
    NewRun { lane: LaneName::parse("lane").ok(), ..a_run() }
}

fn asks() -> ClaimRequest {
    ClaimRequest {
        lease_ttl: SignedDuration::from_mins(10),
        ..ClaimRequest::of(Taker { worker: WorkerId::new(), host: HostName::parse("here").expect("a name") }, 10)
    }
}

fn success(lease: Lease) -> Finish {
    Finish::of(lease, Outcome::Succeeded { output: None })
}

fn failure(lease: Lease) -> Finish {
    Finish::of(lease, Outcome::Failed { error: RunError::new("broken", "it broke"), retry: Retry::Never })
}

/// What a claim by somebody else writes.
fn claimed(run: RunId) -> String {
    format!(
        "update runlane.runs set revision = revision + 1, status = 'running', blocked_by = null, attempt = 1, epoch = epoch + 1,
            worker = gen_random_uuid(), host = 'there', started_at = now(), attempt_started_at = now(),
            lease_expires_at = now() + interval '1 hour', orphaned_at = null where id = '{run}'"
    )
}
