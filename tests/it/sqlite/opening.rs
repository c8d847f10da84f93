//! Who may open a file, and what is said to those who may not. The other process is a real one: this binary again.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::Place;
use runlane::clock::Clock;
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Store, StoreError};

#[tokio::test]
async fn a_second_store_in_the_same_process_is_refused() {
    let place = Place::new();
    let _first = place.open(Clock::Database).await;
    let second = SqliteStore::open(place.file(), Clock::Database).await;
    assert!(matches!(second, Err(StoreError::InUse { .. })));
    assert!(matches!(SqliteStore::migrate(place.file()).await, Err(StoreError::InUse { .. })));
}

#[tokio::test]
async fn another_name_for_the_same_file_is_refused_too() {
    let place = Place::new();
    let _first = place.open(Clock::Database).await;
    let link = place.directory.path().join("link.db");
    std::os::unix::fs::symlink(place.file(), &link).expect("a link");
    assert!(matches!(SqliteStore::open(link, Clock::Database).await, Err(StoreError::InUse { .. })));
}

#[tokio::test]
async fn a_second_process_is_refused_until_the_first_is_killed() {
    let place = Place::new();
    drop(place.open(Clock::Database).await);
    let mut first = child("hold", &place.file(), false);
    let mut said = String::new();
    BufReader::new(first.stdout.take().expect("its output")).lines().map_while(Result::ok).any(|line| {
        said.push_str(&line);
        said.contains("holds the file")
    });
    let refused = SqliteStore::open(place.file(), Clock::Database).await.err().map(|error| error.to_string());
    assert!(refused.as_deref().is_some_and(|text| text.contains("in use by another runlane process")), "{refused:?}");
    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
    SqliteStore::open(place.file(), Clock::Database).await.expect("the killed process has let go");
}

#[tokio::test]
async fn a_read_only_file_or_directory_is_named() {
    let place = Place::new();
    drop(place.open(Clock::Database).await);
    let (file, directory) = (place.file(), place.directory.path());
    mode(directory, 0o555);
    mode(&file, 0o644);
    let said = output(child("open", &file, true));
    assert!(said.contains("cannot write to") && said.contains("runs.db.lock"), "{said}");

    mode(directory, 0o777);
    mode(&file, 0o444);
    mode(&directory.join("runs.db.lock"), 0o666);
    let said = output(child("open", &file, true));
    assert!(said.contains("cannot write to") && said.contains("it is read-only"), "{said}");

    // Writable both, but nothing can be made beside the file.
    mode(&file, 0o666);
    mode(directory, 0o555);
    let said = output(child("open", &file, true));
    assert!(said.contains("cannot write to"), "{said}");
    mode(directory, 0o755);
}

#[tokio::test]
async fn a_directory_that_does_not_exist_is_named() {
    let place = Place::new();
    let file = place.directory.path().join("missing").join("runs.db");
    for opened in [
        SqliteStore::open(&file, Clock::Database).await.err(),
        SqliteStore::open_and_migrate(&file, Clock::Database).await.err(),
    ] {
        let said = opened.expect("an error").to_string();
        assert!(said.contains("its directory") && said.contains("missing: No such file"), "{said}");
    }
}

#[tokio::test]
async fn a_missing_file_wants_to_be_migrated_and_is_not_made() {
    let place = Place::new();
    let opened = SqliteStore::open(place.file(), Clock::Database).await;
    assert!(matches!(opened, Err(StoreError::OlderSchema { found: 0, .. })));
    assert!(!place.file().exists());
    SqliteStore::migrate(place.file()).await.expect("a migration");
    SqliteStore::migrate(place.file()).await.expect("a second one, with nothing to do");
    let store = SqliteStore::open(place.file(), Clock::Database).await.expect("a store");
    assert_eq!(store.workspaces().await.expect("names").len(), 1);
}

#[tokio::test]
async fn a_newer_file_is_left_alone() {
    let place = Place::new();
    drop(place.open(Clock::Database).await);
    let other = rusqlite::Connection::open(place.file()).expect("a connection");
    other.execute("insert into migrations (version, applied_at) values (99, 0)", []).expect("a newer version");
    drop(other);
    for opened in [
        SqliteStore::open(place.file(), Clock::Database).await.err(),
        SqliteStore::open_and_migrate(place.file(), Clock::Database).await.err(),
    ] {
        assert!(matches!(opened, Some(StoreError::NewerSchema { found: 99, .. })), "{opened:?}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let place = Place::new();
    std::fs::write(place.file(), "not a database, but long enough to be looked at\n".repeat(100)).expect("a file");
    assert!(SqliteStore::open_and_migrate(place.file(), Clock::Database).await.is_err());
}

/// Not a test but the other process: does as told when it is told.
#[tokio::test]
async fn other_process() {
    let (Ok(task), Ok(file)) = (std::env::var("RUNLANE_TEST_TASK"), std::env::var("RUNLANE_TEST_FILE")) else { return };
    match SqliteStore::open(&file, Clock::Database).await {
        Ok(_store) if task == "hold" => {
            println!("holds the file");
            std::io::stdin().read_to_end(&mut Vec::new()).expect("the parent's end");
        }
        Ok(_) => println!("opened"),
        Err(error) => println!("refused: {error}"),
    }
}

/// Starts the other process; as nobody if that is asked for and this one may write everywhere.
fn child(task: &str, file: &Path, powerless: bool) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    command
        .args(["--exact", "sqlite::opening::other_process", "--nocapture"])
        .env("RUNLANE_TEST_TASK", task)
        .env("RUNLANE_TEST_FILE", file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if powerless && root {
        command.uid(65534).gid(65534);
    }
    command.spawn().expect("the other process")
}

fn output(child: Child) -> String {
    String::from_utf8_lossy(&child.wait_with_output().expect("its output").stdout).into_owned()
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its mode");
}

#[tokio::test]
async fn nobody_else_can_read_the_files() {
    let place = Place::new();
    let _store = place.open(Clock::Database).await;
    let mut seen = 0;
    for entry in std::fs::read_dir(place.directory.path()).expect("a directory") {
        let entry = entry.expect("an entry");
        let mode = entry.metadata().expect("its metadata").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", entry.path().display());
        seen += 1;
    }
    assert!(seen >= 4, "the database, its log, its index and its lock");
}
