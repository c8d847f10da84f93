//! One shim for many attempts, one at a time: who works on what, and what becomes of it when its worker or itself is gone.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use runlane::executor::process::ProcessTask;
use runlane::executor::{Completion, Control, Executor, Stream};
use runlane::run::RunId;

use super::adopt::{COUNTING, Silent};
use super::support::{self, LEASE, Scene, is_alive, kill, output, scene, sh, until};

/// Another run of the same task on the same host.
fn next_run(scene: &mut Scene) {
    scene.work = support::work(RunId::new());
}

#[tokio::test]
async fn a_shim_that_has_seen_an_attempt_through_takes_the_next_one() {
    let mut scene = sh(
        "echo $RUNLANE_RUN_ID > $RUNLANE_OUTPUT_DIR/run; echo said; test -z $LAST || exit 3; echo 1 > $RUNLANE_RESULT",
    );
    let mut shims = Vec::new();
    for _ in 0..5 {
        next_run(&mut scene);
        assert_eq!(output(scene.run().await).as_deref(), Some("1"));
        assert_eq!(scene.output_appears("run").await, scene.work.run.to_string());
        shims.push(scene.pid_of("shim"));
    }
    // A program that fails is no fault of its shim.
    scene.task.env = [("LAST".to_owned(), "yes".to_owned())].into();
    next_run(&mut scene);
    assert_eq!(support::failure(scene.run().await).0, "exit_code");
    shims.push(scene.pid_of("shim"));
    assert!(shims.iter().all(|shim| *shim == shims[0]), "{shims:?}");
    assert_eq!(scene.lines(Stream::Stdout), ["said"; 6]);
}

#[tokio::test]
async fn attempts_at_the_same_time_have_a_shim_each_and_the_death_of_one_costs_one() {
    let mut scene = sh("echo > $RUNLANE_OUTPUT_DIR/ready; until [ -e $RUNLANE_OUTPUT_DIR/go ]; do sleep 0.01; done");
    let first = scene.start(LEASE);
    scene.output_appears("ready").await;
    let (doomed, go) = (scene.pid_of("shim"), scene.output("go"));
    next_run(&mut scene);
    let second = scene.start(LEASE);
    scene.output_appears("ready").await;
    assert_ne!(scene.pid_of("shim"), doomed);
    kill(doomed, "KILL");
    assert_eq!(first.completion().await, Completion::NotFound);
    assert!(!go.exists() && !second.is_over());
    fs::write(scene.output("go"), "").expect("written");
    assert_eq!(output(second.completion().await), None);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_free_shim_that_is_killed_or_told_to_go_harms_nothing() {
    for signal in ["KILL", "TERM"] {
        let mut scene = sh("true");
        scene.run().await;
        let shim = scene.pid_of("shim");
        assert!(is_alive(shim), "it is there for the next");
        kill(shim, signal);
        until("it to be gone", || !is_alive(shim)).await;
        next_run(&mut scene);
        assert_eq!(output(scene.run().await), None);
        assert_ne!(scene.pid_of("shim"), shim);
    }
}

#[tokio::test]
async fn a_shim_that_was_told_to_stop_its_work_takes_no_other() {
    let mut scene = sh("test -e $RUNLANE_OUTPUT_DIR/../../../go || exec sleep 1000");
    let followed = scene.start(LEASE);
    until("the shim to be at work", || scene.is_taken_up()).await;
    let shim = scene.pid_of("shim");
    followed.stop(std::time::Duration::ZERO);
    assert_eq!(followed.completion().await, Completion::Stopped);
    assert!(!is_alive(shim));
    fs::write(scene.data_dir().join("attempts/go"), "").expect("written");
    next_run(&mut scene);
    assert_eq!(output(scene.run().await), None);
    assert_ne!(scene.pid_of("shim"), shim);
}

#[tokio::test]
async fn free_shims_end_with_their_worker() {
    let mut scene = sh("true");
    scene.run().await;
    let shim = scene.pid_of("shim");
    assert!(is_alive(shim));
    scene.host = support::host_in(scene.data_dir());
    until("it to be gone", || !is_alive(shim)).await;
}

#[tokio::test]
async fn free_shims_are_let_go_after_a_while() {
    let scene = sh("true");
    scene.run().await;
    let shim = scene.pid_of("shim");
    until("it to be gone", || !is_alive(shim)).await;
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_shim_that_went_on_is_not_taken_for_one_at_its_earlier_attempt() {
    let mut scene = sh("test -e $RUNLANE_OUTPUT_DIR/../../../go || exit 0; echo > $RUNLANE_OUTPUT_DIR/ready; \
                        until [ -e $RUNLANE_OUTPUT_DIR/go ]; do sleep 0.01; done");
    assert_eq!(output(scene.run().await), None);
    let (shim, earlier) = (scene.pid_of("shim"), scene.work.clone());
    // As a worker leaves it that is gone while it tidies up.
    let record = fs::read_to_string(scene.record()).expect("a record");
    fs::write(scene.record(), format!("{}\n", record.lines().next().expect("a line"))).expect("written");
    fs::write(scene.data_dir().join("attempts/go"), "").expect("written");
    next_run(&mut scene);
    let followed = scene.start(LEASE);
    scene.output_appears("ready").await;
    assert_eq!(scene.pid_of("shim"), shim);
    let (child, later) = (scene.pid_of("child"), std::mem::replace(&mut scene.work, earlier));

    let is_running = |leftover: &runlane::executor::process::Leftover| (leftover.run, leftover.is_running);
    let mut seen: Vec<_> = scene.host.leftovers().expect("listed").iter().map(is_running).collect();
    seen.sort();
    let mut expected = vec![(scene.work.run, false), (later.run, true)];
    expected.sort();
    assert_eq!(seen, expected);
    assert_eq!(scene.adopt(LEASE).completion().await, Completion::NotFound);
    let leftovers = scene.host.leftovers().expect("listed");
    let leftover = leftovers.iter().find(|leftover| leftover.run == scene.work.run).expect("listed");
    scene.host.remove(leftover).await.expect("removed");
    assert!(is_alive(shim) && is_alive(child) && !followed.is_over());

    scene.work = later;
    fs::write(scene.output("go"), "").expect("written");
    assert_eq!(output(followed.completion().await), None);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_shim_whose_attempt_was_taken_over_ends_with_it() {
    let mut scene = sh(COUNTING);
    // Its worker is there all the time, but does not know yet.
    let first = scene.start(LEASE);
    until("the first line", || scene.lines(Stream::Stdout).len() == 1).await;
    let shim = scene.pid_of("shim");
    let second = scene.adopt(LEASE);
    until("the new lease", || scene.directory().join("lease-2").exists()).await;
    fs::write(scene.output("end"), "").expect("written");
    assert_eq!(output(second.completion().await).as_deref(), Some("9"));
    assert_eq!(output(first.completion().await).as_deref(), Some("9"));
    assert!(!is_alive(shim));
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn an_attempt_of_a_used_shim_survives_its_worker_and_the_shim_ends_with_it() {
    let mut scene = sh(COUNTING);
    let ended = support::work(RunId::new());
    let mut worker = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "process::reuse::a_worker_of_two_attempts", "--nocapture"])
        .env("RUNLANE_TEST_DATA_DIR", scene.data_dir())
        .env("RUNLANE_TEST_RUNS", format!("{} {}", ended.run, scene.work.run))
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("a worker");
    until("the work to speak", || fs::read_to_string(scene.directory().join("log")).is_ok_and(|log| !log.is_empty()))
        .await;
    let shim = scene.pid_of("shim");
    kill(-(worker.id() as i32), "KILL");
    worker.wait().expect("reaped");

    let running = std::mem::replace(&mut scene.work, ended);
    assert_eq!(scene.pid_of("shim"), shim, "one shim for both");
    assert_eq!(output(scene.adopt(LEASE).completion().await).as_deref(), Some("4"));

    scene.work = running;
    let adopted = scene.adopt(LEASE);
    fs::write(scene.output("go-1"), "").expect("written");
    until("the lines", || scene.lines(Stream::Stdout) == ["line 1", "line 2"]).await;
    assert!(is_alive(shim) && !adopted.is_over());
    fs::write(scene.output("end"), "").expect("written");
    assert_eq!(output(adopted.completion().await).as_deref(), Some("9"));
    assert!(!is_alive(shim));
    scene.nothing_is_left().await;
}

/// Not a test by itself: the worker of the test above, in a process of its own.
#[tokio::test]
async fn a_worker_of_two_attempts() {
    let Some(data_dir) = std::env::var_os("RUNLANE_TEST_DATA_DIR") else { return };
    let Ok(runs) = std::env::var("RUNLANE_TEST_RUNS") else { return };
    let host = support::host_in(data_dir.into());
    for (run, script) in runs.split(' ').zip(["echo 4 > $RUNLANE_RESULT", COUNTING]) {
        let mut scene = scene(ProcessTask::new(["/bin/sh", "-c", script]));
        scene.host = host.clone();
        let (_grip, control) = Control::new(tokio::time::Instant::now() + LEASE, Silent::new());
        scene.executor().start(&support::work(run.parse().expect("an id")), control).await;
    }
}
