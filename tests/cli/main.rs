//! The binary, as people call it: what it prints and how it exits.

#[cfg(all(feature = "api", feature = "worker", feature = "sqlite"))]
mod client;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod config;
#[cfg(all(feature = "api", feature = "worker", feature = "sqlite", target_os = "linux"))]
mod docs;
#[cfg(all(feature = "api", feature = "worker", feature = "sqlite", target_os = "linux"))]
mod reload;
#[cfg(all(feature = "api", feature = "worker", feature = "sqlite", target_os = "linux"))]
mod schedules;
#[cfg(all(feature = "api", feature = "worker", feature = "sqlite", target_os = "linux"))]
mod serve;
#[cfg(all(feature = "api", feature = "worker", feature = "sqlite"))]
mod server;
#[cfg(all(feature = "api", feature = "worker", feature = "sqlite"))]
mod words;

use std::process::{Command, Output};

fn runlane(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runlane"));
    command.args(args).env_remove("DATABASE_URL").env_remove("RUNLANE_DATABASE");
    command.output().expect("the binary starts")
}

fn said(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text").trim_end()
}

#[test]
fn it_says_which_release_it_is() {
    let output = runlane(&["--version"]);
    assert_eq!(said(&output.stdout), concat!("runlane ", env!("CARGO_PKG_VERSION")));
    assert!(output.status.success());
}

#[test]
fn migrate_without_a_database_says_how_to_name_one() {
    let output = runlane(&["migrate"]);
    let expected = "error: no database is named; give --database sqlite:PATH or postgres://…, \
                    or set RUNLANE_DATABASE or DATABASE_URL";
    assert_eq!((said(&output.stderr), output.status.code()), (expected, Some(1)));
}

#[test]
#[cfg(feature = "postgres")]
fn a_server_that_does_not_answer_is_named_with_the_cause_and_without_the_password() {
    // Port 1 is nobody's.
    let output = runlane(&["migrate", "--database", "postgres://me:secret@127.0.0.1:1/app"]);
    let words = said(&output.stderr);
    assert!(words.starts_with("error: cannot reach the database at 127.0.0.1:1/app\n  because: "), "{words}");
    assert!(!words.contains("secret"), "{words}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
#[cfg(feature = "sqlite")]
fn migrate_says_what_it_did_and_then_that_nothing_is_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("runlane.db").display());
    let first = runlane(&["migrate", "--database", &url]);
    assert!(said(&first.stdout).starts_with("schema version 0 → "), "{first:?}");
    let second = runlane(&["migrate", "--database", &url]);
    assert!(said(&second.stdout).starts_with("already at version "), "{second:?}");
    assert!(first.status.success() && second.status.success());
}
