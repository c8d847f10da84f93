//! Connections that break at the worst moment: through a proxy that cuts them when that passes which commits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use runlane::clock::Clock;
use runlane::run::{Json, NewRun, TaskName, WorkspaceName};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, RerunOutcome, Store, SubmitOutcome};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::fixture::Database;

/// By what the proxy knows it: nothing but the command itself, since the word alone is in the names of settings, too; or
/// the task of a run, since a plain submission commits by itself.
pub(crate) const COMMIT: &[u8] = b"commit\0";
const TASK: &str = "cut_here";

/// What the proxy does with the next that commits.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Cut {
    /// The server never hears of it.
    Before,
    /// The server does it, but the answer is lost.
    After,
}

pub(crate) struct Proxy {
    pub(crate) url: String,
    pub(crate) armed: Arc<AtomicBool>,
}

impl Proxy {
    pub(crate) async fn before(database: &Database, commit: &'static [u8], cut: Cut) -> Self {
        let (_, rest) = database.url.split_once('@').expect("a user");
        let (server, name) = rest.split_once('/').expect("a database");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("postgres://postgres@{}/{name}", listener.local_addr().expect("an address"));
        let armed = Arc::new(AtomicBool::new(false));
        tokio::spawn(serve(listener, server.to_owned(), Arc::clone(&armed), commit, cut));
        Self { url, armed }
    }
}

async fn serve(listener: TcpListener, server: String, armed: Arc<AtomicBool>, word: &'static [u8], cut: Cut) {
    while let Ok((client, _)) = listener.accept().await {
        let upstream = TcpStream::connect(&server).await.expect("the server answers");
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = upstream.into_split();
        let answers = tokio::spawn(copy(from_server, to_client));
        let armed = Arc::clone(&armed);
        tokio::spawn(async move {
            forward(from_client, to_server, &armed, word, cut, answers).await;
        });
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    let _ = tokio::io::copy(&mut from, &mut to).await;
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    armed: &AtomicBool,
    word: &[u8],
    cut: Cut,
    answers: tokio::task::JoinHandle<()>,
) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read) = from.read(&mut buffer).await {
        let commit = buffer[..read].windows(word.len()).any(|bytes| bytes == word);
        if read == 0 || (commit && armed.swap(false, Ordering::SeqCst) && cut_now(&mut to, &buffer[..read], cut).await)
        {
            answers.abort();
            return;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

async fn cut_now(to: &mut OwnedWriteHalf, commit: &[u8], cut: Cut) -> bool {
    if cut == Cut::After {
        to.write_all(commit).await.expect("the server takes the commit");
        // Closing our side after the commit lets the server finish it and then see the end.
        to.shutdown().await.expect("the end is sent");
    }
    true
}

fn a_run() -> NewRun {
    NewRun::of(TaskName::parse(TASK).expect("a name"), Json::null())
}

async fn submit_through_a_cut(cut: Cut) {
    let Some(database) = Database::empty().await else { return };
    let proxy = Proxy::before(&database, TASK.as_bytes(), cut).await;
    let store = PostgresStore::connect(&proxy.url, Clock::Database).await.expect("connect");
    // The first one asks whether there is such a workspace, and so is not alone in its transaction.
    store.submit(&[a_run()], Admission::default()).await.expect("submitted");
    let runs = [a_run(), a_run()];
    proxy.armed.store(true, Ordering::SeqCst);
    let mut signal = store.ready_signal();
    let submission = store.submission(&runs, Admission::default()).await.expect("settled");
    assert!(!proxy.armed.load(Ordering::SeqCst), "the commit was cut");
    assert_eq!(submission.outcomes, [SubmitOutcome::Created, SubmitOutcome::Created]);
    assert!(signal.take(), "whoever waits is told, though nobody knew for a moment");
    let stored = store.run(&runs[0].workspace, runs[0].id).await.expect("a read").expect("it is there");
    // Whoever finds out by looking does not know when it was; whoever submits again does.
    assert_eq!(submission.at, (cut == Cut::Before).then_some(stored.requested_at));
    let stored = database.lines("select count(*)::text from runlane.runs").await;
    assert_eq!(stored, ["3"], "each run is stored once");
}

#[tokio::test]
async fn a_submit_whose_commit_was_done_but_not_answered_is_settled_by_looking() {
    submit_through_a_cut(Cut::After).await;
}

#[tokio::test]
async fn a_submit_whose_commit_never_arrived_is_submitted_again() {
    submit_through_a_cut(Cut::Before).await;
}

#[tokio::test]
async fn an_id_that_somebody_else_took_stays_a_duplicate_after_a_lost_commit() {
    for cut in [Cut::Before, Cut::After] {
        let Some(database) = Database::empty().await else { return };
        let proxy = Proxy::before(&database, TASK.as_bytes(), cut).await;
        let store = PostgresStore::connect(&proxy.url, Clock::Database).await.expect("connect");
        let others = a_run();
        store.submit(std::slice::from_ref(&others), Admission::default()).await.expect("submitted");
        let payload = Json::parse("\"another\"").expect("JSON");
        let runs = [NewRun { payload, ..others }, a_run()];
        proxy.armed.store(true, Ordering::SeqCst);
        let outcomes = store.submit(&runs, Admission::default()).await.expect("settled");
        assert!(!proxy.armed.load(Ordering::SeqCst), "the commit was cut");
        assert_eq!(outcomes, [SubmitOutcome::DuplicateId, SubmitOutcome::Created]);
    }
}

#[tokio::test]
async fn a_rerun_whose_commit_was_done_but_not_answered_was_made_once() {
    let Some(database) = Database::empty().await else { return };
    let proxy = Proxy::before(&database, COMMIT, Cut::After).await;
    let store = PostgresStore::connect(&proxy.url, Clock::Database).await.expect("connect");
    let (run, new) = (a_run(), runlane::run::RunId::new());
    store.submit(std::slice::from_ref(&run), Admission::default()).await.expect("submit");
    proxy.armed.store(true, Ordering::SeqCst);
    let outcome = store.rerun(&run.workspace, run.id, new, Admission::default()).await.expect("settled");
    assert!(!proxy.armed.load(Ordering::SeqCst), "the commit was cut");
    assert_eq!(outcome, RerunOutcome::Submitted(SubmitOutcome::Created));
    let outcome = store.rerun(&run.workspace, run.id, new, Admission::default()).await.expect("answered");
    assert_eq!(outcome, RerunOutcome::Submitted(SubmitOutcome::DuplicateId), "asked again, it is there");
}

#[tokio::test]
async fn a_command_whose_commit_was_not_answered_says_that_it_does_not_know() {
    let Some(database) = Database::empty().await else { return };
    let proxy = Proxy::before(&database, COMMIT, Cut::After).await;
    let store = PostgresStore::connect(&proxy.url, Clock::Database).await.expect("connect");
    let run = a_run();
    store.submit(std::slice::from_ref(&run), Admission::default()).await.expect("submit");
    proxy.armed.store(true, Ordering::SeqCst);
    let cancel = runlane::run::lifecycle::Command::Cancel;
    let answer = store.command(&WorkspaceName::default(), &[run.id], cancel, Admission::default()).await;
    assert!(matches!(answer, Err(runlane::store::StoreError::Ambiguous(_))), "{answer:?}");
    let again = store.run(&WorkspaceName::default(), run.id).await.expect("the store works again");
    assert!(again.is_some());
}
