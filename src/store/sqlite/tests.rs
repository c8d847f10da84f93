//! Group commit from within: jobs that are sure to share a transaction.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use futures::future::join_all;
use rusqlite::Connection;

use super::group::GroupCommit;
use super::session::Session;
use super::writer::Writer;
use super::{Statements, file};
use crate::clock::Clock;
use crate::store::ready::Signals;
use crate::store::{Result, StoreError};

fn writer(directory: &tempfile::TempDir) -> Writer {
    writer_with(directory, Signals::default())
}

/// A writer on a table of its own, whose `broken` rows make the commit fail.
fn writer_with(directory: &tempfile::TempDir, signals: Signals) -> Writer {
    let path = directory.path().join("jobs.db");
    let conn = file::connect(&path).expect("a connection");
    file::set_up_writer(&conn, &path).expect("settings");
    conn.execute_batch(
        "pragma foreign_keys = on;
         create table done (job text primary key);
         create table broken (job text references done (job) deferrable initially deferred);",
    )
    .expect("tables");
    let lock = File::create(directory.path().join("jobs.db.lock")).expect("a lock");
    let sql = Arc::new(Statements::new());
    let session = Session::new(conn, sql, Clock::Database);
    Writer::start(GroupCommit { session, signals }, lock).expect("a thread")
}

/// What is there, seen by another connection.
fn done(directory: &tempfile::TempDir) -> Vec<String> {
    let conn = Connection::open(directory.path().join("jobs.db")).expect("a connection");
    let mut select = conn.prepare("select job from done order by job").expect("a statement");
    let rows = select.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

/// A job that writes its name, and then does what its name says.
async fn job(writer: &Writer, name: &'static str) -> Result<()> {
    let verb = move |session: &mut Session| {
        session.execute("insert into done (job) values (?1)", [name])?;
        match name {
            "fails" => session.execute("insert into nowhere values (1)", []).map(drop),
            "panics" => panic!("on purpose"),
            "breaks the commit" => session.execute("insert into broken values ('nothing')", []).map(drop),
            _ => Ok(()),
        }
    };
    writer.run(name, verb).await
}

/// Jobs that share one transaction: the writer is held up until all of them have been handed over.
async fn together(writer: &Writer, names: &[&'static str]) -> Vec<Result<()>> {
    let (go, gate) = channel::<()>();
    // Open for good once the other end is gone: a job may be run twice.
    let gate = writer.run("gate", move |_| Ok(gate.recv().is_err()));
    let jobs = join_all(names.iter().map(|name| job(writer, name)));
    // Polled in this order, so every job has been sent when the gate opens. What becomes of the first job does not
    // matter: it may or may not have been alone.
    let open = async move { drop(go) };
    futures::join!(gate, jobs, open).1
}

#[tokio::test]
async fn a_job_that_fails_or_panics_is_undone_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let writer = writer(&directory);
    let results = together(&writer, &["a", "fails", "b", "panics", "c"]).await;
    assert!(matches!(results[1], Err(StoreError::Database { doing: "fails", .. })));
    let panic = results[3].as_ref().err().and_then(std::error::Error::source).map(ToString::to_string);
    assert_eq!(panic.as_deref(), Some("panicked: on purpose"));
    assert!([0, 2, 4].iter().all(|at| results[*at].is_ok()));
    assert_eq!(done(&directory), ["a", "b", "c"]);
}

#[tokio::test]
async fn a_lone_job_that_fails_leaves_nothing_and_the_writer_goes_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let writer = writer(&directory);
    for alone in ["fails", "panics", "breaks the commit"] {
        assert!(job(&writer, alone).await.is_err(), "{alone}");
        assert!(done(&directory).is_empty(), "{alone}");
    }
    assert!(job(&writer, "a").await.is_ok());
    assert_eq!(done(&directory), ["a"]);
}

#[tokio::test]
async fn nobody_is_told_of_success_when_the_commit_fails() {
    let directory = tempfile::tempdir().expect("a directory");
    let writer = writer(&directory);
    let results = together(&writer, &["a", "breaks the commit", "b", "fails"]).await;
    assert!(results.iter().all(Result::is_err));
    let said = results[0].as_ref().err().and_then(std::error::Error::source).map(ToString::to_string);
    assert_eq!(said.as_deref(), Some("FOREIGN KEY constraint failed"));
    assert!(done(&directory).is_empty());
    assert!(together(&writer, &["c", "d"]).await.iter().all(Result::is_ok));
    assert_eq!(done(&directory), ["c", "d"]);
}

#[tokio::test]
async fn what_waits_is_done_before_the_file_is_closed() {
    let directory = tempfile::tempdir().expect("a directory");
    let writer = writer(&directory);
    assert!(together(&writer, &["a", "b"]).await.iter().all(Result::is_ok));
    drop(writer);
    assert_eq!(done(&directory), ["a", "b"]);
    assert!(!directory.path().join("jobs.db-wal").exists());
}

#[tokio::test]
async fn what_shared_a_transaction_with_a_failure_is_done_again_and_answered_as_it_came_out_then() {
    let directory = tempfile::tempdir().expect("a directory");
    let writer = writer(&directory);
    let runs = Arc::new(AtomicUsize::new(0));
    let counting = {
        let runs = Arc::clone(&runs);
        move |session: &mut Session| {
            session.execute("insert into done (job) values ('counted')", [])?;
            Ok(runs.fetch_add(1, Ordering::Relaxed) + 1)
        }
    };
    let (go, gate) = channel::<()>();
    let gate = writer.run("gate", move |_| Ok(gate.recv().is_err()));
    let open = async move { drop(go) };
    let (_, counted, failed, _) = futures::join!(gate, writer.run("counting", counting), job(&writer, "fails"), open);
    assert!(failed.is_err());
    assert_eq!(counted.expect("it is kept"), runs.load(Ordering::Relaxed));
    assert_eq!(runs.load(Ordering::Relaxed), 2, "once for nothing, and once for good");
    assert_eq!(done(&directory), ["counted"]);
}

#[tokio::test]
async fn the_bell_rings_for_what_is_on_the_disk_and_for_nothing_else() {
    let (directory, signals) = (tempfile::tempdir().expect("a directory"), Signals::default());
    let mut signal = signals.ready_signal();
    let writer = writer_with(&directory, signals);
    let ready = |sql: &'static str| {
        writer.run("ready", move |session| {
            session.notices.ready = true;
            session.execute(sql, [])
        })
    };
    assert!(ready("insert into broken values ('nothing')").await.is_err());
    assert!(!signal.take());
    assert!(ready("insert into done values ('something')").await.is_ok());
    assert!(signal.take());
}
