//! Wake-ups between processes: two stores on one database are to each other what two processes are.

use std::time::{Duration, Instant};

use futures::StreamExt;
use runlane::clock::Clock;
use runlane::run::lifecycle::{Outcome, Taker};
use runlane::run::{HostName, Json, NewRun, TaskName, WorkerId};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, ClaimRequest, Finish, FinishOutcome, ReadySignal, Store, SubmitOutcome};
use tokio_postgres::{AsyncMessage, Client, NoTls};

use super::fixture::Database;

/// Much longer than anything takes, even on a busy machine; no test waits for it to pass.
const DEADLINE: Duration = Duration::from_secs(60);

const LISTENING: &str = "select pid::text from pg_stat_activity
    where datname = current_database() and query = 'listen runlane_ready'";

async fn store(url: &str) -> PostgresStore {
    PostgresStore::connect(url, Clock::Database).await.expect("a store")
}

async fn submit(store: &PostgresStore) {
    let run = NewRun::of(TaskName::parse("noop").expect("a name"), Json::null());
    let outcomes = store.submit(&[run], Admission::default()).await.expect("submit");
    assert_eq!(outcomes, [SubmitOutcome::Created]);
}

async fn hears(signal: &mut ReadySignal, what: &str) {
    tokio::time::timeout(DEADLINE, signal.changed()).await.unwrap_or_else(|_| panic!("{what} was not heard"));
}

/// A store that listens: it says so itself, since what was said before that may have been missed.
async fn listening(url: &str) -> (PostgresStore, ReadySignal) {
    let store = store(url).await;
    let mut signal = store.ready_signal();
    hears(&mut signal, "the beginning").await;
    (store, signal)
}

/// A database in which nobody says anything but this test. Who used it before may be gone without its last word having
/// been said.
async fn quiet() -> Option<Database> {
    let database = Database::empty().await?;
    let others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    database.lines(&format!("select pg_terminate_backend(pid)::text {others}")).await;
    let gone = async {
        while database.lines(&format!("select count(*)::text {others}")).await != ["0"] {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(DEADLINE, gone).await.expect("the others are gone");
    Some(database)
}

async fn until_nobody_listens(database: &Database) {
    let gone = async {
        while !database.lines(LISTENING).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(DEADLINE, gone).await.expect("the connection is closed");
}

/// A listener that is no store, and what it heard.
struct Ear {
    heard: tokio::sync::mpsc::UnboundedReceiver<String>,
    client: Client,
}

impl Ear {
    async fn on(database: &Database) -> Self {
        let (client, mut connection) = tokio_postgres::connect(&database.url, NoTls).await.expect("a connection");
        let (hear, heard) = tokio::sync::mpsc::unbounded_channel();
        let mut messages = futures::stream::poll_fn(move |context| connection.poll_message(context));
        tokio::spawn(async move {
            while let Some(Ok(message)) = messages.next().await {
                if let AsyncMessage::Notification(said) = message {
                    let _ = hear.send(said.payload().to_owned());
                }
            }
        });
        client.batch_execute("listen runlane_ready").await.expect("it listens");
        Self { heard, client }
    }

    /// How many notifications came until now.
    async fn count(&mut self) -> u32 {
        self.client.batch_execute("notify runlane_ready, 'now'").await.expect("a mark");
        let mut count = 0;
        while self.heard.recv().await.expect("the connection lasts") != "now" {
            count += 1;
        }
        count
    }
}

#[tokio::test]
async fn what_another_process_submits_is_heard() {
    let Some(database) = quiet().await else { return };
    let (here, mut signal) = listening(&database.url).await;
    let there = store(&database.url).await;
    assert!(!signal.take());
    submit(&there).await;
    hears(&mut signal, "the submission").await;
    drop(here);
}

#[tokio::test]
async fn after_its_connection_was_lost_a_store_hears_again() {
    let Some(database) = quiet().await else { return };
    let (_here, mut signal) = listening(&database.url).await;
    let there = store(&database.url).await;
    let terminate = format!("select pg_terminate_backend(pid::int)::text from ({LISTENING}) as listening (pid)");
    assert_eq!(database.lines(&terminate).await, ["true"]);
    hears(&mut signal, "that something may have been missed").await;
    assert!(!signal.take());
    submit(&there).await;
    hears(&mut signal, "the submission").await;
}

#[tokio::test]
async fn what_a_store_says_itself_it_is_told_once() {
    let Some(database) = quiet().await else { return };
    let (here, mut signal) = listening(&database.url).await;
    let mut ear = Ear::on(&database).await;
    submit(&here).await;
    assert!(signal.take());
    ear.heard.recv().await.expect("others are told");
    // What is said next comes after it on every connection.
    let there = store(&database.url).await;
    submit(&there).await;
    hears(&mut signal, "the other submission").await;
    assert!(!signal.take());
}

#[tokio::test]
async fn many_submissions_lead_to_few_notifications() {
    let Some(database) = quiet().await else { return };
    let mut ear = Ear::on(&database).await;
    let store = store(&database.url).await;
    let began = Instant::now();
    for _ in 0..250 {
        futures::join!(submit(&store), submit(&store), submit(&store), submit(&store));
    }
    let count = ear.count().await;
    let most = began.elapsed().as_millis() / 10 + 1;
    assert!(count > 0 && u128::from(count) <= most, "{count} notifications, and no more than {most} expected");
}

#[tokio::test]
async fn successes_that_free_nothing_are_not_passed_on() {
    let Some(database) = quiet().await else { return };
    let store = store(&database.url).await;
    let mut ear = Ear::on(&database).await;
    submit(&store).await;
    ear.heard.recv().await.expect("others are told of the submission");
    claim_and_succeed(&store).await;
    // The store's own next word comes after anything it had to say before.
    submit(&store).await;
    ear.heard.recv().await.expect("others are told of the next one");
    assert_eq!(ear.count().await, 0, "between the two there was nothing to say");
}

async fn claim_and_succeed(store: &PostgresStore) {
    let request = ClaimRequest {
        lease_ttl: jiff::SignedDuration::from_secs(60),
        takeover_delay: jiff::SignedDuration::from_secs(60),
        ..ClaimRequest::of(Taker { worker: WorkerId::new(), host: HostName::parse("here").expect("a name") }, 1)
    };
    let claimed = loop {
        // A claim may pass over what another store made ready; the next one will not.
        match store.claim(&request).await.expect("claim").runs.pop() {
            Some(claimed) => break claimed,
            None => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    let lease = claimed.lease();
    let finish = Finish::of(lease, Outcome::Succeeded { output: None });
    let outcomes = store.finish(&[finish]).await.expect("finish");
    assert!(matches!(outcomes[..], [FinishOutcome::Accepted(_)]), "{outcomes:?}");
}

#[tokio::test]
async fn a_store_listens_only_if_it_is_asked_to_and_as_long_as_it_lives() {
    let Some(database) = quiet().await else { return };
    let silent = store(&format!("{}?listen=false", database.url)).await;
    drop(silent.ready_signal());
    let unasked = store(&database.url).await;
    submit(&unasked).await;
    let (here, mut signal) = listening(&database.url).await;
    assert_eq!(database.lines(LISTENING).await.len(), 1);
    drop(here);
    until_nobody_listens(&database).await;
    assert!(!signal.take());
}

/// The last word of a process that submits and leaves.
#[tokio::test]
async fn what_was_done_before_the_store_was_dropped_is_still_passed_on() {
    let Some(database) = quiet().await else { return };
    let mut ear = Ear::on(&database).await;
    let store = store(&database.url).await;
    submit(&store).await;
    ear.heard.recv().await.expect("others are told");
    submit(&store).await;
    drop(store);
    tokio::time::timeout(DEADLINE, ear.heard.recv()).await.expect("in time").expect("others are told");
}

/// In transaction mode the sessions in which a store listens are given to others, who get notifications they did not ask
/// for; all verbs work, and each store hears itself.
#[tokio::test]
async fn behind_a_pooler_nothing_breaks() {
    let Some(database) = Database::empty().await else { return };
    let Some(url) = database.pooled_url() else { return };
    let (here, mut signal) = listening(&url).await;
    let (there, _other) = listening(&url).await;
    for _ in 0..20 {
        futures::join!(submit(&here), submit(&there), submit(&there));
        assert!(signal.take());
        futures::join!(claim_and_succeed(&here), claim_and_succeed(&there), claim_and_succeed(&here));
    }
    assert_eq!(database.lines("select count(*)::text from runlane.history").await, ["60"]);
}

/// Of a process that has nothing else to do, the word goes along with the run: what is not stored is not heard of.
#[tokio::test]
async fn a_submission_that_fails_at_its_commit_is_not_passed_on() {
    let Some(database) = quiet().await else { return };
    let mut ear = Ear::on(&database).await;
    let store = store(&database.url).await;
    submit(&store).await;
    ear.heard.recv().await.expect("others are told");
    // Longer than words keep apart from each other.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let fail = "create function runlane.fail() returns trigger language plpgsql as 'begin raise exception ''no''; end';
        create constraint trigger fail after insert on runlane.runs initially deferred
        for each row execute function runlane.fail()";
    database.execute(fail).await;
    let run = NewRun::of(TaskName::parse("noop").expect("a name"), Json::null());
    let refused = store.submit(&[run], Admission::default()).await;
    database.execute("drop trigger fail on runlane.runs; drop function runlane.fail").await;
    assert!(refused.is_err(), "{refused:?}");
    submit(&store).await;
    ear.heard.recv().await.expect("others are told of what was stored");
    assert_eq!(ear.count().await, 0, "and of nothing else");
}
