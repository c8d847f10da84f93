//! Several real processes on one database, one of them killed, and the verdict on what they all wrote down.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use runlane::store::checker::{FinalState, Recording};

use crate::concurrent::{judge, seed};

/// Lets `processes` of them work on the database at `url`, and kills the first half-way if there are others. A
/// fresh process drains what is left. Answers with what was found wrong.
pub(crate) fn chaos(url: &str, processes: usize) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a directory can be made");
    let file = |name: &str| dir.path().join(format!("{name}.jsonl"));
    let seed = seed();
    finish(start(url, "prepare", seed, &file("prepare"), &["prepare"]));
    let names: Vec<String> = (0..processes).map(|at| format!("process-{at}")).collect();
    let children: Vec<Child> =
        names.iter().zip(0..).map(|(name, at)| start(url, name, seed ^ at, &file(name), &["work"])).collect();
    for (at, child) in children.into_iter().enumerate() {
        if at == 0 && processes > 1 { kill_half_way(child, &file(&names[0])) } else { finish(child) }
    }
    finish(start(url, "drain", seed, &file("drain"), &["drain"]));
    let written = names.iter().map(String::as_str).chain(["prepare", "drain"]).map(file);
    verdict(&written.collect::<Vec<_>>(), &file("drain"))
}

/// A database that lives in its process: everything happens in one.
fn alone(url: &str) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a directory can be made");
    let file = dir.path().join("alone.jsonl");
    finish(start(url, "alone", seed(), &file, &["prepare", "work", "drain"]));
    verdict(std::slice::from_ref(&file), &file)
}

fn verdict(files: &[PathBuf], drained: &Path) -> Vec<String> {
    let recording = Recording::read(files).expect("the recordings can be read");
    let last = fs::read(drained.with_added_extension("final")).expect("the final state was written");
    let last: FinalState = serde_json::from_slice(&last).expect("the final state can be read");
    assert!(recording.entries.len() > 100, "hardly anything happened: {} calls", recording.entries.len());
    judge(&recording, &last)
}

fn start(url: &str, name: &str, seed: u64, file: &Path, roles: &[&str]) -> Child {
    let tests = std::env::current_exe().expect("the test has a path");
    let target = tests.ancestors().nth(2).expect("tests are in target/<profile>/deps");
    let mut command = Command::new(target.join("examples/chaos_actor"));
    command.args([url, name, &seed.to_string()]).arg(file).args(roles);
    command.spawn().expect("chaos_actor is built with the tests")
}

fn finish(mut child: Child) {
    let status = child.wait().expect("the process can be waited for");
    assert!(status.success(), "chaos_actor failed: {status}");
}

/// Kills without warning, once the process has done something worth interrupting.
fn kill_half_way(mut child: Child, file: &Path) {
    let began = Instant::now();
    let calls = || fs::read_to_string(file).map_or(0, |text| text.lines().count());
    while calls() < 500 && began.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("the process can be killed");
    child.wait().expect("the process can be waited for");
}

#[test]
fn a_process_writes_down_what_it_did() {
    let found = alone("memory:");
    assert!(found.is_empty(), "{found:#?}");
}
