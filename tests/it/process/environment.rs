//! What a program finds when it starts.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use runlane::executor::Stream;
use runlane::executor::process::{ProcessExecutor, ProcessTask, ProcessUser};

use super::support::{failure, output, scene, sh};

#[tokio::test]
async fn only_what_is_allowed_or_fixed_is_in_the_environment() {
    // Whatever this test itself has: one is passed on, the others are not.
    let is_plain = |(name, value): &(String, String)| {
        name != "PATH"
            && name != "PYTHONUNBUFFERED"
            && !name.starts_with("RUNLANE_")
            && !value.contains(char::is_control)
    };
    let mut own = std::env::vars().filter(is_plain);
    let (allowed, value) = own.next().expect("a variable");
    assert!(own.next().is_some(), "nothing would be shown without a second variable");
    let scene = scene(ProcessTask::new(["env"])).with(|task| {
        task.env = [("FIXED_FOR_THE_TEST".to_owned(), "a b".to_owned())].into();
        task.env_allow = vec![allowed.clone(), "NOT_SET_ANYWHERE".into()];
    });
    scene.run().await;
    let lines = scene.lines(Stream::Stdout);
    let mut names: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    let mut expected = vec![
        allowed.as_str(),
        "FIXED_FOR_THE_TEST",
        "PATH",
        "PYTHONUNBUFFERED",
        "RUNLANE_ATTEMPT",
        "RUNLANE_EPOCH",
        "RUNLANE_INPUT",
        "RUNLANE_OUTPUT_DIR",
        "RUNLANE_RESULT",
        "RUNLANE_RUN_ID",
        "RUNLANE_TASK",
        "RUNLANE_WORKSPACE",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    let has = |line: &str| assert!(lines.iter().any(|found| found == line), "{line} is not in {lines:?}");
    has(&format!("{allowed}={value}"));
    has("FIXED_FOR_THE_TEST=a b");
    has("RUNLANE_ATTEMPT=1");
    has("RUNLANE_TASK=a task");
    has(&format!("RUNLANE_RUN_ID={}", scene.work.run));
}

#[tokio::test]
async fn a_task_may_let_python_buffer_its_output() {
    let scene = sh("echo \"[$PYTHONUNBUFFERED]\"").with(|task| {
        task.env = [("PYTHONUNBUFFERED".to_owned(), String::new())].into();
    });
    scene.run().await;
    assert_eq!(scene.lines(Stream::Stdout), ["[]"]);
}

#[tokio::test]
async fn the_trace_context_is_passed_on() {
    let mut scene = sh("echo $TRACEPARENT");
    scene.work.traceparent = Some("00-abc-def-01".into());
    scene.run().await;
    assert_eq!(scene.lines(Stream::Stdout), ["00-abc-def-01"]);
}

#[tokio::test]
async fn the_payload_is_on_standard_input_and_in_a_file() {
    let scene = sh("cat; echo; cat $RUNLANE_INPUT");
    scene.run().await;
    assert_eq!(scene.lines(Stream::Stdout), [r#"{"a":1}"#, r#"{"a":1}"#]);
}

#[tokio::test]
async fn it_runs_where_it_is_told_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a path");
    let here = sh("pwd").with(|task| task.cwd = Some(path.clone()));
    here.run().await;
    assert_eq!(here.lines(Stream::Stdout), [path.to_str().expect("UTF-8")]);
    // A program with a slash in its name is looked for from there.
    fs::write(path.join("hello"), "#!/bin/sh\necho hello\n").expect("written");
    fs::set_permissions(path.join("hello"), Permissions::from_mode(0o755)).expect("executable");
    let relative = scene(ProcessTask::new(["./hello"])).with(|task| task.cwd = Some(path.clone()));
    relative.run().await;
    assert_eq!(relative.lines(Stream::Stdout), ["hello"]);
}

#[tokio::test]
async fn a_program_is_looked_for_in_the_path_it_gets() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mine"), "#!/bin/sh\necho mine\n").expect("written");
    fs::set_permissions(folder.path().join("mine"), Permissions::from_mode(0o755)).expect("executable");
    let path = folder.path().to_str().expect("UTF-8").to_owned();
    let scene = scene(ProcessTask::new(["mine"])).with(|task| task.env = [("PATH".to_owned(), path)].into());
    scene.run().await;
    assert_eq!(scene.lines(Stream::Stdout), ["mine"]);
}

#[tokio::test]
async fn a_place_that_vanished_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = sh("true").with(|task| task.cwd = Some(folder.path().into()));
    let executor = scene.executor();
    drop(folder);
    let (_grip, control) =
        runlane::executor::Control::new(tokio::time::Instant::now() + super::support::LEASE, scene.reporter.clone());
    let completion = runlane::executor::Executor::start(&executor, &scene.work, control).await;
    let (code, message) = failure(completion);
    assert_eq!(code, "start_failed");
    assert!(message.starts_with("cannot go to "), "{message}");
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_program_runs_as_another_user() {
    if !is_root() {
        eprintln!("skipped: only root can run programs as others");
        return;
    }
    let script = r#"test -r "$RUNLANE_INPUT" && touch "$RUNLANE_OUTPUT_DIR/mine" &&
        ! cat "$RUNLANE_OUTPUT_DIR/../record.jsonl" 2>/dev/null && ! touch "$RUNLANE_OUTPUT_DIR/../record.jsonl" 2>/dev/null &&
        printf '"%s"' "$(id -u):$(id -g):$(id -G)" > "$RUNLANE_RESULT""#;
    let scene = sh(script).with(|task| {
        task.user = Some(ProcessUser { uid: 65534, gid: 65534 });
        task.cwd = Some("/".into());
    });
    fs::set_permissions(scene.data_dir(), Permissions::from_mode(0o700)).expect("closed");
    let (code, message) = failure(scene.run().await);
    assert_eq!(code, "start_failed");
    assert!(message.contains("user 65534 cannot get to"), "{message}");
    fs::set_permissions(scene.data_dir(), Permissions::from_mode(0o711)).expect("opened");
    assert_eq!(output(scene.run().await).as_deref(), Some(r#""65534:65534:65534""#));
    assert!(scene.output("mine").exists());
}

#[test]
fn a_user_that_cannot_be_taken_on_is_refused_beforehand() {
    if is_root() {
        eprintln!("skipped: root can run programs as anyone");
        return;
    }
    let scene = sh("true").with(|task| task.user = Some(ProcessUser { uid: 0, gid: 0 }));
    let refused = ProcessExecutor::new(scene.host.clone(), scene.task.clone()).err().expect("refused");
    assert_eq!(refused.field, "user");
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").expect("proc")) == 0
}
