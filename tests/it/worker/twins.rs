//! Two data directories that are taken for one, as by workers that are told to be on the same host.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use runlane::executor::process::{ProcessExecutor, ProcessHost, ProcessTask};
use runlane::run::lifecycle::{Command, CommandOutcome};
use runlane::run::{HostName, RunId, State, Status, Tenure, WorkspaceName};
use runlane::store::Admission;
use runlane::worker::{Builder, HandOver, Settings, Task};

use super::{Rig, Working, quick, request};

const TAKEOVER: Duration = Duration::from_secs(6);

/// A worker whose programs run in `data`, and which notes the number of each in `effects`.
fn worker(rig: &Rig, data: &Path, effects: &Path) -> Builder {
    let settings = Settings {
        host: HostName::parse("the same").expect("a name"),
        takeover_delay: TAKEOVER,
        hand_over: HandOver::AtOnce,
        ..quick()
    };
    let shim = vec![env!("CARGO_BIN_EXE_runlane").into(), "shim".into()];
    let host = ProcessHost::new(data).expect("a host").with_shim(shim).with_patience(TAKEOVER * 2 / 3);
    let script = format!("echo $$ >> {}; exec sleep 60", effects.display());
    let task = ProcessTask::new(["/bin/sh", "-c", &script]);
    let executor = ProcessExecutor::new(Arc::new(host), task).expect("a usable task");
    rig.worker().settings(settings).task_with("nap", Task::new(Arc::new(executor)))
}

fn begun(effects: &Path) -> Vec<u32> {
    let text = fs::read_to_string(effects).unwrap_or_default();
    text.lines().map(|line| line.parse().expect("a number")).collect()
}

/// Waits until so many programs have begun.
async fn until_begun(effects: &Path, programs: usize) -> Vec<u32> {
    let waited = async {
        while begun(effects).len() < programs {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        begun(effects)
    };
    tokio::time::timeout(Duration::from_secs(40), waited).await.expect("begun in time")
}

async fn orphaned_at(rig: &Rig, id: RunId) -> jiff::Timestamp {
    let run = rig.run(id).await;
    match run.execution().map(|execution| execution.tenure) {
        Some(Tenure::Orphaned { since }) => since,
        _ => panic!("not left to be adopted: {run:?}"),
    }
}

fn is_alive(pid: u32) -> bool {
    // A zombie does nothing any more.
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test(flavor = "multi_thread")]
async fn work_that_is_missing_is_done_again_only_when_its_other_self_must_have_stopped() {
    let (rig, place) = (Rig::new().await, tempfile::tempdir().expect("a directory"));
    let effects = place.path().join("effects");
    let [one, other] = ["one", "other"].map(|name| place.path().join(name));
    let first = Working::start(worker(&rig, &one, &effects));
    let id = rig.submit(request("nap", "null")).await;
    let pids = until_begun(&effects, 1).await;
    assert_eq!(first.stop().await.left, 1);
    let since = orphaned_at(&rig, id).await;

    let second = Working::start(worker(&rig, &other, &effects));
    let run = rig.until(id, Status::Retrying).await;
    assert!(matches!(run.state, State::Retrying(Some(_))), "{run:?}");
    assert_eq!(run.error.map(|error| error.code).as_deref(), Some("lost"));
    let takeover = SignedDuration::try_from(TAKEOVER).expect("short");
    assert!(run.available_at >= since + takeover, "{} is too soon after {since}", run.available_at);
    assert!(is_alive(pids[0]), "otherwise nothing is shown by this");
    until_begun(&effects, 2).await;
    assert!(!is_alive(pids[0]), "two of it were running");
    let cancelled = rig.store.command(&WorkspaceName::default(), &[id], Command::Cancel, Admission::default()).await;
    assert_eq!(cancelled.expect("an answer"), [CommandOutcome::CancelRequested]);
    rig.until(id, Status::Cancelled).await;
    second.stop().await;
}
