//! What comes at the same time shares transactions, and what is known is claimed in one exchange.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use runlane::clock::Clock;
use runlane::executor::native::TaskError;
use runlane::run::lifecycle::{Outcome, Taker};
use runlane::run::{HostName, Json, KeyMode, LaneName, NewRun, QueueName, RunId, RunKey, TaskName, WorkerId};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, Claim, ClaimRequest, ClaimScope, Claimed, Finish, QueueChange, Store, SubmitOutcome};
use runlane::worker::{Served, Settings, Worker};
use tokio_util::sync::CancellationToken;

use super::fixture::Database;

fn a_run() -> NewRun {
    NewRun::of(TaskName::parse("work").expect("a name"), Json::null())
}

fn asks_for(capacity: usize) -> ClaimRequest {
    ClaimRequest::of(Taker { worker: WorkerId::new(), host: HostName::parse("here").expect("a name") }, capacity)
}

fn success(claimed: &Claimed) -> Finish {
    Finish::of(claimed.lease(), Outcome::Succeeded { output: None })
}

async fn connect(database: &Database) -> PostgresStore {
    PostgresStore::connect(&database.url, Clock::Database).await.expect("a store")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn callers_that_come_together_share_transactions_and_have_their_own_answers() {
    let Some(database) = Database::empty().await else { return };
    let store = Arc::new(connect(&database).await);
    let taken = a_run();
    store.submit(std::slice::from_ref(&taken), Admission::default()).await.expect("submit answers");
    let submit = |at: usize| {
        let (store, taken) = (Arc::clone(&store), taken.clone());
        tokio::spawn(async move {
            let (run, admission) = match at % 10 {
                0 => (taken, Admission::default()),
                1 => (a_run(), Admission { queue_size: Some(1) }),
                _ => (a_run(), Admission::default()),
            };
            (at, store.submit(&[run], admission).await.expect("submit answers")[0])
        })
    };
    for answer in join_all((0..400).map(submit)).await {
        let (at, outcome) = answer.expect("no panic");
        let expected = match at % 10 {
            0 => SubmitOutcome::DuplicateId,
            1 => SubmitOutcome::QueueFull,
            _ => SubmitOutcome::Created,
        };
        assert_eq!(outcome, expected, "call {at}");
    }
    let rows =
        database.another().await.query("select count(distinct xmin::text), count(*) from runlane.runs", &[]).await;
    let rows = rows.expect("counts");
    let (transactions, runs): (i64, i64) = (rows[0].get(0), rows[0].get(1));
    assert_eq!(runs, 321);
    assert!(transactions < 200, "{transactions} transactions for {runs} runs");
}

fn of_known(request: &ClaimRequest) -> ClaimRequest {
    ClaimRequest { scope: ClaimScope::KnownStreams, ..request.clone() }
}

#[tokio::test]
async fn the_one_stream_that_is_known_is_claimed_from_at_once() {
    let Some(database) = Database::empty().await else { return };
    let (store, submitter) = (connect(&database).await, connect(&database).await);
    submitter.submit(&[a_run()], Admission::default()).await.expect("submit answers");
    let request = asks_for(10);
    assert_eq!(store.claim(&of_known(&request)).await.expect("an answer"), Claim::default(), "nothing is known yet");
    assert_eq!(store.claim(&request).await.expect("an answer").runs.len(), 1);
    let runs = [a_run(), a_run()];
    submitter.submit(&runs, Admission::default()).await.expect("submit answers");
    let claim = store.claim(&of_known(&request)).await.expect("an answer");
    let claimed: HashSet<RunId> = claim.runs.iter().map(|claimed| claimed.run.id).collect();
    assert_eq!(claimed, runs.iter().map(|run| run.id).collect());

    // What was left behind comes first, and that takes a look.
    submitter.submit(&[a_run()], Admission::default()).await.expect("submit answers");
    let orphan = "update runlane.runs set lease_expires_at = null, orphaned_at = now() where id = (
        select id from runlane.runs where status = 'running' limit 1)";
    database.execute(orphan).await;
    assert_eq!(store.claim(&of_known(&request)).await.expect("an answer").runs, []);
    assert_eq!(store.claim(&request).await.expect("an answer").runs.len(), 2);
}

#[tokio::test]
async fn the_next_of_a_lane_is_handed_over_where_nothing_else_is_ready() {
    let Some(database) = Database::empty().await else { return };
    let store = connect(&database).await;
    let runs: Vec<NewRun> = ["a", "b", "a", "b", "a"]
        .map(|lane| NewRun { lane: Some(LaneName::parse(lane).expect("a name")), ..a_run() })
        .into();
    store.submit(&runs, Admission::default()).await.expect("submit answers");
    let request = asks_for(2);
    let mut held = store.claim(&request).await.expect("an answer").runs;
    let mut started: Vec<RunId> = held.iter().map(|claimed| claimed.run.id).collect();
    while !held.is_empty() {
        let (_, claim) = store
            .finish_and_claim(
                &held.iter().map(success).collect::<Vec<_>>(),
                &ClaimRequest { scope: ClaimScope::FreedLanes, ..request.clone() },
            )
            .await
            .expect("an answer");
        held = claim.runs;
        started.extend(held.iter().map(|claimed| claimed.run.id));
    }
    assert_eq!(started, runs.iter().map(|run| run.id).collect::<Vec<_>>(), "each without a claim of its own");
}

#[tokio::test]
async fn what_is_known_ends_before_a_run_with_a_grant() {
    let Some(database) = Database::empty().await else { return };
    let store = connect(&database).await;
    let runs: Vec<NewRun> = (0..5).map(|_| a_run()).collect();
    store.submit(&runs, Admission::default()).await.expect("submit answers");
    store.claim(&asks_for(1)).await.expect("an answer");
    let scheduled = "update runlane.runs set schedule_id = gen_random_uuid(), grant_id = gen_random_uuid() where id = ";
    database.execute(&format!("{scheduled}'{}'", runs[2].id)).await;
    let known = store.claim(&of_known(&asks_for(4))).await.expect("an answer").runs;
    assert_eq!(known.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [runs[1].id]);
    assert_eq!(
        store.claim(&of_known(&asks_for(4))).await.expect("an answer").runs,
        [],
        "a claim has to see to the grant"
    );
}

/// Runs of several kinds are stored by another statement than those of one.
fn of_kind(number: usize) -> NewRun {
    NewRun { task: TaskName::parse(format!("kind-{number}")).expect("a name"), ..a_run() }
}

#[tokio::test]
async fn runs_go_in_the_order_in_which_they_came_however_many_came_together() {
    let Some(database) = Database::empty().await else { return };
    let store = connect(&database).await;
    let mut ids = Vec::new();
    for (many, kinds) in [(1, 1), (3, 2), (4096, 1), (4097, 2), (2, 1), (4096, 2), (4097, 1), (3, 1)] {
        let runs: Vec<NewRun> = (0..many).map(|at| of_kind(at % kinds)).collect();
        ids.extend(runs.iter().map(|run| run.id));
        store.submit(&runs, Admission::default()).await.expect("submit answers");
    }
    let claimed = store.claim(&asks_for(ids.len())).await.expect("an answer").runs;
    assert_eq!(claimed.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), ids);
}

#[tokio::test]
async fn what_is_ready_comes_along_with_the_end_of_a_run_where_one_stream_is_known() {
    let Some(database) = Database::empty().await else { return };
    let store = connect(&database).await;
    let runs: Vec<NewRun> = (0..99).map(|_| a_run()).collect();
    store.submit(&runs, Admission::default()).await.expect("submit answers");
    let request = asks_for(2);
    let mut held = store.claim(&request).await.expect("an answer").runs;
    let mut along = 0;
    while !held.is_empty() {
        let ended: Vec<Finish> = held.iter().map(success).collect();
        let answer = store.finish_and_claim(&ended, &of_known(&request)).await;
        held = answer.expect("an answer").1.runs;
        along += held.len();
        if held.is_empty() {
            // Now and then a claim has to look around.
            held = store.claim(&request).await.expect("an answer").runs;
        }
    }
    assert!(along > 0, "nothing came along");
    assert_eq!(database.lines("select count(*)::text from runlane.history").await, ["99"]);
}

/// What a worker asks for at once counts towards what it may have of a queue.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_worker_that_was_told_keeps_its_own_limit_of_a_queue() {
    let Some(database) = Database::empty().await else { return };
    let (store, submitter) = (Arc::new(connect(&database).await), connect(&database).await);
    let running = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
    let counts = Arc::clone(&running);
    let settings = Settings {
        concurrency: 20,
        queues: vec![Served { queue: QueueName::default(), concurrency: Some(2) }],
        ..Settings::default()
    };
    let worker = Worker::builder(store as Arc<dyn Store>)
        .settings(settings)
        .task("work", move |_, (): ()| {
            let counts = Arc::clone(&counts);
            async move {
                let [now, most, done] = &*counts;
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(30)).await;
                now.fetch_sub(1, Ordering::SeqCst);
                done.fetch_add(1, Ordering::SeqCst);
                Ok::<_, TaskError>(())
            }
        })
        .build()
        .expect("a worker");
    let stop = CancellationToken::new();
    let working = tokio::spawn({
        let stop = stop.clone();
        async move { worker.run(stop).await }
    });
    let ended = |runs: usize| {
        let running = Arc::clone(&running);
        async move {
            while running[2].load(Ordering::SeqCst) < runs {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    };
    // The first makes the stream known; the others find the worker waiting for news of it.
    for runs in 1..=6 {
        let batch: Vec<NewRun> = (0..runs).map(|_| a_run()).collect();
        submitter.submit(&batch, Admission::default()).await.expect("submit answers");
        tokio::time::timeout(Duration::from_secs(30), ended(runs * (runs + 1) / 2)).await.expect("all of them end");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stop.cancel();
    working.await.expect("no panic");
    assert_eq!(running[1].load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_run_under_a_grant_is_not_claimed_without_a_look_at_it() {
    let Some(database) = Database::empty().await else { return };
    let store = connect(&database).await;
    store.submit(&[a_run()], Admission::default()).await.expect("submit answers");
    let request = asks_for(10);
    assert_eq!(store.claim(&request).await.expect("an answer").runs.len(), 1);
    let run = a_run();
    store.submit(std::slice::from_ref(&run), Admission::default()).await.expect("submit answers");
    let id = run.id;
    database
        .execute(&format!(
            "update runlane.runs set schedule_id = gen_random_uuid(), grant_id = gen_random_uuid() where id = '{id}'"
        ))
        .await;
    assert_eq!(store.claim(&of_known(&request)).await.expect("an answer").runs, []);
}

#[tokio::test]
async fn a_large_batch_is_stored_and_known_again() {
    store_a_large_batch_twice(a_run).await;
}

/// One with keys is copied in: whether those are taken has to be known first.
#[tokio::test]
async fn a_large_batch_that_takes_a_look_is_copied_in_and_known_again() {
    let numbers = AtomicUsize::new(0);
    let a_run_with_a_key = || {
        let key = RunKey::parse(format!("key {}", numbers.fetch_add(1, Ordering::Relaxed))).expect("a key");
        NewRun { key: Some((key, KeyMode::Keep)), ..a_run() }
    };
    store_a_large_batch_twice(a_run_with_a_key).await;
}

async fn store_a_large_batch_twice(a_run: impl Fn() -> NewRun) {
    let Some(database) = Database::empty().await else { return };
    let store = connect(&database).await;
    let mut runs: Vec<NewRun> = (0..1000).map(|_| a_run()).collect();
    runs[500].metadata = Some(Json::parse(r#"{"team": "images"}"#).expect("JSON"));
    let outcomes = store.submit(&runs, Admission::default()).await.expect("submit answers");
    assert_eq!(outcomes, vec![SubmitOutcome::Created; 1000]);
    let seen = store.run(&runs[500].workspace, runs[500].id).await.expect("a read").expect("it is there");
    assert_eq!((seen.metadata, seen.max_attempts), (runs[500].metadata.clone(), 3));
    assert_eq!(seen.requested_at, seen.available_at);
    let again = store.submit(&runs, Admission::default()).await.expect("submit answers");
    assert_eq!(again, vec![SubmitOutcome::DuplicateId; 1000]);
}

async fn connect_to_the_past(database: &Database) -> PostgresStore {
    PostgresStore::connect(&database.url_to_the_past(), Clock::Database).await.expect("a store")
}

/// Whether an id is taken is found out by the careful way there.
#[tokio::test]
async fn an_id_is_known_again_under_another_isolation_level() {
    let Some(database) = Database::empty().await else { return };
    let store = connect_to_the_past(&database).await;
    for kinds in [1, 2] {
        let runs = [of_kind(0), of_kind(1 % kinds)];
        let submit = || store.submit(&runs, Admission::default());
        assert_eq!(submit().await.expect("an answer"), [SubmitOutcome::Created; 2]);
        assert_eq!(submit().await.expect("an answer"), [SubmitOutcome::DuplicateId; 2]);
    }
}

/// After the wait for the lock of a queue, the claim sees what started meanwhile.
#[tokio::test]
async fn a_limit_is_kept_under_another_isolation_level() {
    let Some(database) = Database::empty().await else { return };
    let store = connect_to_the_past(&database).await;
    let [first, second] = [a_run(), a_run()];
    store.submit(&[first.clone(), second.clone()], Admission::default()).await.expect("submitted");
    let limit = QueueChange { concurrency: Some(Some(1)), ..QueueChange::default() };
    store.set_queue(&first.workspace, &first.queue, limit).await.expect("set");

    let another = database.another().await;
    another.batch_execute("begin; select from runlane.queues for update").await.expect("locked");
    let claiming = tokio::spawn(async move { store.claim(&asks_for(1)).await.expect("an answer").runs.len() });
    let waiting =
        "select 'waits' from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while database.lines(waiting).await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let start = "update runlane.runs set status = 'running', attempt = 1, epoch = 1, worker = id, host = 'elsewhere',
        started_at = now(), attempt_started_at = now(), lease_expires_at = now() + interval '1 minute' where id = ";
    another.batch_execute(&format!("{start} '{}'; commit", second.id)).await.expect("started");
    assert_eq!(claiming.await.expect("no panic"), 0);
}

/// What is too much for one message is streamed.
#[tokio::test]
async fn more_than_fits_into_one_message_is_stored_and_known_again() {
    let Some(database) = Database::empty().await else { return };
    let store = connect(&database).await;
    let payload = Json::parse(format!("\"{}\"", "x".repeat(1024 * 1024))).expect("JSON");
    let runs: Vec<NewRun> = (0..20).map(|_| NewRun { payload: payload.clone(), ..a_run() }).collect();
    let submit = || store.submit(&runs, Admission::default());
    assert_eq!(submit().await.expect("an answer"), vec![SubmitOutcome::Created; 20]);
    assert_eq!(submit().await.expect("an answer"), vec![SubmitOutcome::DuplicateId; 20]);
}

/// The look for finished runs comes after the insert: a run that ends just then is found, live or finished.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_id_that_is_submitted_again_and_again_while_its_run_ends_makes_one_run() {
    let Some(database) = Database::empty().await else { return };
    let store = Arc::new(connect(&database).await);
    let again = Arc::new(connect(&database).await);
    for _ in 0..20 {
        let runs: Vec<NewRun> = (0..20).map(|_| a_run()).collect();
        store.submit(&runs, Admission::default()).await.expect("submit answers");
        let held = store.claim(&asks_for(20)).await.expect("an answer").runs;
        assert_eq!(held.len(), 20, "nothing is left over from the last time");
        let submissions = runs.clone().into_iter().map(|run| {
            let again = Arc::clone(&again);
            tokio::spawn(async move { again.submit(&[run], Admission::default()).await.expect("submit answers")[0] })
        });
        let submissions: Vec<_> = submissions.collect();
        for claimed in &held {
            let outcome = Outcome::Succeeded { output: None };
            let finish = Finish::of(claimed.lease(), outcome);
            store.finish(&[finish]).await.expect("an answer");
        }
        for submission in join_all(submissions).await {
            assert_eq!(submission.expect("no panic"), SubmitOutcome::DuplicateId);
        }
    }
}
