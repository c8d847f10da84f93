//! Programs that misbehave: each run gets a clear error code, and the worker stays healthy.

use std::num::{NonZeroU16, NonZeroU32};
use std::time::Duration;

use runlane::clock::Clock;
use runlane::run::{Json, NewRun, RunId, Status, TaskName, WorkspaceName};
use runlane::store::postgres::PostgresStore;
use runlane::store::{Admission, EventKind, Store};

use super::worker::{WorkerProcess, processes_of};
use super::{Yard, read, until_terminal};
use crate::postgres::fixture::Database;

const PATIENCE: Duration = Duration::from_secs(60);

/// Name, command, further settings.
const TASKS: [(&str, &str, &str); 9] = [
    ("good", r#"["sh", "-c", "echo '{\"ok\":true}' > \"$RUNLANE_RESULT\""]"#, ""),
    ("missing", r#"["no-such-program-anywhere"]"#, ""),
    ("deaf", r#"["sh", "-c", "trap '' TERM; while :; do sleep 1; done"]"#, "stop_grace_seconds = 1\n"),
    ("clinging", r#"["sh", "-c", "sleep 1000 & echo begun"]"#, ""),
    ("endless_line", r#"["head", "-c", "1073741824", "/dev/zero"]"#, ""),
    (
        "hoarder",
        r#"["sh", "-c", "cat /dev/zero > \"$RUNLANE_OUTPUT_DIR/heap\""]"#,
        "limits = { output_bytes = 1000000 }\n",
    ),
    ("liar", r#"["sh", "-c", "echo '{' > \"$RUNLANE_RESULT\""]"#, ""),
    (
        "spender",
        r#"["sh", "-c", "echo '::runlane {\"usage\":{\"tokens\":7}}'; sleep 1000"]"#,
        "usage_limits = { tokens = 5 }\nstop_grace_seconds = 1\n",
    ),
    ("failing", r#"["sh", "-c", "echo 'no disk' >&2; exit 4"]"#, ""),
];

#[tokio::test(flavor = "multi_thread")]
async fn bad_programs_get_a_clear_code_and_the_worker_stays_healthy() {
    let Some(database) = Database::empty().await else { return };
    let store = PostgresStore::connect(&database.url, Clock::Database).await.expect("a store");
    let yard = Yard::with_tasks(&TASKS);
    let worker = WorkerProcess::start(&yard, &database.url, &["--concurrency", "4"]);
    let mut ids: Vec<RunId> = Vec::new();
    for (name, ..) in TASKS {
        let mut request = NewRun::of(TaskName::parse(name).expect("a name"), Json::null());
        request.max_attempts = NonZeroU16::MIN;
        request.timeout_seconds = NonZeroU32::new(if name == "deaf" { 1 } else { 60 });
        ids.push(request.id);
        store.submit(&[request], Admission::default()).await.expect("submitted");
    }
    until_terminal(&store, &ids, PATIENCE).await;
    let runs = read(&store, &ids).await;
    let ended: Vec<(&str, Status, String)> = ids
        .iter()
        .zip(TASKS)
        .map(|(id, (name, ..))| {
            let run = &runs[id];
            let said = run.error.as_ref().map(|error| format!("{}: {}", error.code, error.message));
            (name, run.status(), said.unwrap_or_default())
        })
        .collect();
    let expected = [
        ("good", Status::Succeeded, ""),
        ("missing", Status::Failed, "program_not_found: "),
        ("deaf", Status::TimedOut, "timed_out: the attempt exceeded its time limit of 1 s"),
        ("clinging", Status::Succeeded, ""),
        ("endless_line", Status::Succeeded, ""),
        ("hoarder", Status::Failed, "output_limit: "),
        ("liar", Status::Failed, "invalid_result: "),
        ("spender", Status::Failed, "usage_limit: the attempt used more than its limit of 5 tokens"),
        ("failing", Status::Failed, "exit_code: exited with code 4"),
    ];
    for ((name, status, said), (_, expected_status, expected_words)) in ended.iter().zip(expected) {
        assert_eq!(*status, expected_status, "{name}: {said}");
        assert!(said.starts_with(expected_words), "{name}: {said}");
    }
    assert!(ended[8].2.contains("no disk"), "the reason is told: {}", ended[8].2);
    let log = store.events(&WorkspaceName::default(), ids[4], 0, 1000).await.expect("a read").expect("a run");
    let kept: usize = log.iter().filter(|event| event.kind == EventKind::Log).map(|e| e.data.as_str().len()).sum();
    assert!(kept < 8_000_000, "{kept} bytes were kept of a gigabyte");
    assert!(log.iter().any(|event| event.data.as_str().contains("bytes")), "where it was cut is marked");
    let (status, said) = worker.drain(Duration::from_secs(30));
    assert!(status.success() && said.starts_with("9 finished"), "{status}: {said}");
    let left = processes_of(&yard.path("data"));
    assert!(left.is_empty(), "processes were left behind: {left:?}");
}
