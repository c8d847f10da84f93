//! How another worker takes over: whatever happened meanwhile, and as often as need be.

use std::fs;
use std::io::{IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use runlane::executor::{Completion, Control, Executor, Stream};
use runlane::run::RunId;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use super::support::{self, LEASE, is_alive, kill, output, scene, sh, until};
use runlane::executor::process::ProcessTask;

/// Says a number every time it is told to go on, and ends when told to.
pub const COUNTING: &str = "cd $RUNLANE_OUTPUT_DIR; n=0; while ! test -e end; do n=$((n+1)); echo line $n; \
                        while ! test -e go-$n && ! test -e end; do sleep 0.02; done; done; echo 9 > $RUNLANE_RESULT";

#[tokio::test]
async fn work_that_ended_meanwhile_is_finished_from_its_record() {
    let mut scene =
        sh("echo said; while ! test -e $RUNLANE_OUTPUT_DIR/go; do sleep 0.02; done; echo 3 > $RUNLANE_RESULT");
    let followed = scene.start(LEASE);
    until("the work to run", || scene.directory().join("log").exists()).await;
    followed.vanish();
    fs::write(scene.output("go"), "").expect("written");
    scene.exit_record().await;
    assert_eq!(output(scene.adopt(LEASE).completion().await).as_deref(), Some("3"));
    assert_eq!(scene.lines(Stream::Stdout), ["said"]);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_that_still_runs_is_followed() {
    let mut scene = sh(COUNTING);
    let followed = scene.start(LEASE);
    until("the first line", || scene.lines(Stream::Stdout).len() == 1).await;
    let child = scene.pid_of("child");
    followed.vanish();
    let adopted = scene.adopt(LEASE);
    fs::write(scene.output("go-1"), "").expect("written");
    until("the second line", || scene.lines(Stream::Stdout).len() == 2).await;
    assert!(is_alive(child) && !adopted.is_over());
    fs::write(scene.output("end"), "").expect("written");
    assert_eq!(output(adopted.completion().await).as_deref(), Some("9"));
    assert_eq!(scene.lines(Stream::Stdout), ["line 1", "line 2"]);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_that_never_was_is_not_found() {
    let mut scene = sh("true");
    assert_eq!(scene.adopt(LEASE).completion().await, Completion::NotFound);
    assert!(!scene.directory().exists());
}

#[tokio::test]
async fn work_that_died_with_its_shim_is_not_found_and_nothing_of_it_runs() {
    let mut scene = sh("sleep 1000 & echo > $RUNLANE_OUTPUT_DIR/ready; exec sleep 1000");
    let followed = scene.start(LEASE);
    scene.output_appears("ready").await;
    followed.vanish();
    let child = scene.pid_of("child");
    kill(scene.pid_of("shim"), "KILL");
    until("the work to die", || !is_alive(child)).await;
    assert_eq!(scene.adopt(LEASE).completion().await, Completion::NotFound);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_shim_that_comes_late_finds_the_order_to_stop() {
    let mut scene = sh("echo > $RUNLANE_OUTPUT_DIR/ran");
    // As a worker leaves it that was stopped before it started the shim.
    let followed = scene.start(Duration::ZERO);
    assert_eq!(followed.completion().await, Completion::NotFound);
    fs::remove_file(scene.record()).expect("removed");
    assert_eq!(scene.adopt(LEASE).completion().await, Completion::NotFound);
    make_a_shim(&scene);
    let record = scene.exit_record().await;
    assert!(record.contains("never_started"), "{record}");
    assert!(!scene.output("ran").exists());
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_shim_that_comes_when_the_attempt_was_begun_anew_starts_nothing() {
    for is_gone in [false, true] {
        let scene = sh("echo > $RUNLANE_OUTPUT_DIR/ran");
        let followed = scene.start(Duration::ZERO);
        assert_eq!(followed.completion().await, Completion::NotFound);
        fs::remove_file(scene.record()).expect("removed");
        // As it was removed and made again by a later worker, after or before this shim found its payload.
        let [payload, later] = ["input-1.json", "input-2.json"].map(|name| scene.directory().join(name));
        fs::copy(&payload, later).expect("begun anew");
        if is_gone {
            fs::remove_file(payload).expect("removed");
        }
        make_a_shim(&scene);
        scene.nothing_is_left().await;
        assert!(!scene.output("ran").exists());
        assert_eq!(scene.record().exists(), !is_gone, "what is another's is left to it");
        assert!(!scene.directory().join("shim.log").exists());
    }
}

/// As a worker has it made, that was frozen when about to do so. Waits until it has ended.
fn make_a_shim(scene: &support::Scene) {
    let (mut line, theirs) = UnixStream::pair().expect("a line");
    let mut zygote = Command::new(env!("CARGO_BIN_EXE_runlane"));
    let mut zygote = zygote.args(["shim", "--zygote"]).stdin(OwnedFd::from(theirs)).spawn().expect("started");
    line.write_all(b"make").expect("sent");
    let work = &scene.work;
    let spec = serde_json::json!({
        "workspace": work.workspace, "run": work.run, "attempt": work.attempt, "epoch": 1, "start_by": u64::MAX,
        "task": scene.task, "lease": { "stop_at": u64::MAX, "deadline": u64::MAX, "stop": null },
    });
    let directory = scene.directory();
    let assignment = format!("{0}\0{spec}\0RUNLANE_OUTPUT_DIR={0}/output", directory.display());
    let mut shim = received_line(&line);
    shim.write_all(&(assignment.len() as u32).to_le_bytes())
        .and_then(|()| shim.write_all(assignment.as_bytes()))
        .expect("sent");
    drop(line);
    assert!(zygote.wait().expect("it ends with the line").success());
    shim.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    assert_eq!(shim.read(&mut [0]).expect("it ends"), 0, "it is not there for another");
}

/// The line to the shim, which comes after the hold on it.
fn received_line(line: &UnixStream) -> UnixStream {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut held = RecvAncillaryBuffer::new(&mut space);
    recvmsg(line, &mut [IoSliceMut::new(&mut [0])], &mut held, RecvFlags::CMSG_CLOEXEC).expect("an answer");
    let rights = |message| match message {
        RecvAncillaryMessage::ScmRights(held) => held.last(),
        _ => None,
    };
    held.drain().find_map(rights).expect("a line").into()
}

#[tokio::test]
async fn without_the_process_that_made_them_shims_go_on_and_others_are_made() {
    let mut scene = sh("echo > $RUNLANE_OUTPUT_DIR/first; until [ -e $RUNLANE_OUTPUT_DIR/go ]; do sleep 0.01; done");
    let first = scene.start(LEASE);
    scene.output_appears("first").await;
    let zygote = support::zygote_of(scene.pid_of("shim"));
    kill(zygote, "KILL");
    until("it to be gone", || !is_alive(zygote)).await;
    let go = scene.output("go");
    scene.work = support::work(RunId::new());
    let second = scene.start(LEASE);
    scene.output_appears("first").await;
    for go in [go, scene.output("go")] {
        fs::write(go, "").expect("written");
    }
    for followed in [first, second] {
        assert_eq!(followed.completion().await, Completion::Succeeded { output: None });
    }
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn the_log_is_complete_and_without_repeats_after_any_number_of_adoptions() {
    let mut scene = sh(COUNTING).with(|task| task.limits.log_bytes = 10 << 20);
    let mut followed = scene.start(LEASE);
    for round in 1..=6 {
        until("the next line", || scene.lines(Stream::Stdout).len() == round).await;
        // Every other time, the reports are stored but the worker is lost before it hears of it.
        scene.reporter.is_mute.store(round % 2 == 1, Ordering::SeqCst);
        fs::write(scene.output(&format!("go-{round}")), "").expect("written");
        until("the line to be stored", || scene.lines(Stream::Stdout).len() > round).await;
        followed.vanish();
        scene.reporter.is_mute.store(false, Ordering::SeqCst);
        followed = scene.adopt(LEASE);
    }
    fs::write(scene.output("end"), "").expect("written");
    assert_eq!(output(followed.completion().await).as_deref(), Some("9"));
    let expected: Vec<String> = (1..=7).map(|number| format!("line {number}")).collect();
    assert_eq!(scene.lines(Stream::Stdout), expected);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_lost_answer_to_the_very_first_report_repeats_nothing() {
    let mut scene = sh(COUNTING);
    // Of the same attempt, before it was given back.
    runlane::executor::Reporter::report(&*scene.reporter, vec![note("earlier")]).await.expect("stored");
    scene.reporter.is_mute.store(true, Ordering::SeqCst);
    let followed = scene.start(LEASE);
    until("the first line", || scene.lines(Stream::Stdout).len() == 1).await;
    followed.vanish();
    scene.reporter.is_mute.store(false, Ordering::SeqCst);
    let adopted = scene.adopt(LEASE);
    fs::write(scene.output("go-1"), "").expect("written");
    until("the second line", || scene.lines(Stream::Stdout).len() == 2).await;
    fs::write(scene.output("end"), "").expect("written");
    adopted.completion().await;
    assert_eq!(scene.lines(Stream::Stdout), ["line 1", "line 2"]);
    scene.nothing_is_left().await;
}

fn note(text: &str) -> runlane::executor::Report {
    runlane::executor::Report::Log { stream: Stream::Note, text: text.into() }
}

#[tokio::test]
async fn an_earlier_worker_can_neither_stop_nor_prolong_adopted_work() {
    let mut scene = sh(COUNTING);
    let first = scene.start(LEASE);
    until("the first line", || scene.lines(Stream::Stdout).len() == 1).await;
    let second = scene.adopt(Duration::from_secs(4));
    until("the new lease", || scene.directory().join("lease-2").exists()).await;
    first.stop(Duration::ZERO);
    until("the old order", || {
        fs::read_to_string(scene.directory().join("lease-1")).is_ok_and(|lease| lease.contains("\"stop\":0"))
    })
    .await;
    fs::write(scene.output("go-1"), "").expect("written");
    until("the second line", || scene.lines(Stream::Stdout).iter().any(|line| line == "line 2")).await;
    assert!(is_alive(scene.pid_of("child")));
    first.sender.extend(tokio::time::Instant::now() + Duration::from_secs(600));
    // The later worker's lease runs out, whatever the earlier one says.
    assert_eq!(second.completion().await, Completion::NotFound);
    first.vanish();
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn an_attempt_that_was_given_back_begins_afresh_with_nothing_of_the_old_one_running() {
    let mut scene =
        sh("echo $RUNLANE_EPOCH; echo > $RUNLANE_OUTPUT_DIR/at-$RUNLANE_EPOCH; test $RUNLANE_EPOCH = 2 || sleep 1000");
    let followed = scene.start(LEASE);
    scene.output_appears("at-1").await;
    let old = scene.pid_of("child");
    followed.vanish();
    scene.work.epoch = 2;
    assert_eq!(output(scene.start(LEASE).completion().await), None);
    assert!(!is_alive(old));
    assert!(scene.output("at-2").exists() && !scene.output("at-1").exists());
    // One that was overtaken does not touch what is there now.
    scene.work.epoch = 1;
    assert_eq!(scene.start(LEASE).completion().await, Completion::Left);
    assert!(scene.output("at-2").exists());
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_worker_that_was_overtaken_does_not_touch_what_its_successor_started() {
    let script = "cd $RUNLANE_OUTPUT_DIR; echo > at-$RUNLANE_EPOCH; while ! test -e go; do sleep 0.02; done";
    let mut scene = sh(script);
    let first = scene.start(LEASE);
    scene.output_appears("at-1").await;
    scene.work.epoch = 2;
    let second = scene.start(LEASE);
    scene.output_appears("at-2").await;
    // Its shim was stopped, and perhaps nothing is there to tell how.
    first.completion().await;
    assert!(is_alive(scene.pid_of("child")) && !second.is_over());
    scene.work.epoch = 0;
    assert_eq!(scene.adopt(LEASE).completion().await, Completion::Left);
    assert!(is_alive(scene.pid_of("child")) && !second.is_over());
    fs::write(scene.output("go"), "").expect("written");
    assert_eq!(output(second.completion().await), None);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_outlasts_its_lease_for_as_long_as_the_host_has_patience() {
    let mut scene = sh(COUNTING).with_patience(LEASE);
    let lease = Duration::from_millis(1500);
    let followed = scene.start(lease);
    until("the first line", || scene.lines(Stream::Stdout).len() == 1).await;
    tokio::time::sleep(lease * 2).await;
    assert!(!followed.is_over());
    followed.vanish();
    let adopted = scene.adopt(LEASE);
    fs::write(scene.output("end"), "").expect("written");
    assert_eq!(output(adopted.completion().await).as_deref(), Some("9"));
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_survives_a_worker_that_is_killed() {
    let mut scene = sh(COUNTING);
    let mut worker = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "process::adopt::a_worker_to_be_killed", "--nocapture"])
        .env("RUNLANE_TEST_DATA_DIR", scene.data_dir())
        .env("RUNLANE_TEST_RUN", scene.work.run.to_string())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("a worker");
    until("the work to speak", || fs::read_to_string(scene.directory().join("log")).is_ok_and(|log| !log.is_empty()))
        .await;
    // And with it all that a terminal or a shell would take along.
    kill(-(worker.id() as i32), "KILL");
    worker.wait().expect("reaped");
    let adopted = scene.adopt(LEASE);
    fs::write(scene.output("go-1"), "").expect("written");
    until("the lines", || scene.lines(Stream::Stdout) == ["line 1", "line 2"]).await;
    fs::write(scene.output("end"), "").expect("written");
    assert_eq!(output(adopted.completion().await).as_deref(), Some("9"));
    scene.nothing_is_left().await;
}

/// Not a test by itself: the worker of the test above, in a process of its own.
#[tokio::test]
async fn a_worker_to_be_killed() {
    let Some(data_dir) = std::env::var_os("RUNLANE_TEST_DATA_DIR") else { return };
    let run: RunId = std::env::var("RUNLANE_TEST_RUN").expect("a run").parse().expect("an id");
    let mut scene = scene(ProcessTask::new(["/bin/sh", "-c", COUNTING]));
    scene.host = support::host_in(data_dir.into());
    let (_grip, control) = Control::new(tokio::time::Instant::now() + LEASE, Silent::new());
    scene.executor().start(&support::work(run), control).await;
}

/// Never gets to store anything.
pub struct Silent;

impl Silent {
    pub fn new() -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self)
    }
}

#[async_trait::async_trait]
impl runlane::executor::Reporter for Silent {
    async fn report(&self, _: Vec<runlane::executor::Report>) -> Result<i64, runlane::executor::Gone> {
        std::future::pending().await
    }

    async fn reported_since(&self, _: i64) -> Result<u64, runlane::executor::Gone> {
        std::future::pending().await
    }
}
