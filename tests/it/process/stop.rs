//! How work is ended: by order, for want of a lease, or because nothing may be left of it.

use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use runlane::executor::{Completion, Order};

use super::support::{LEASE, failure, is_alive, kill, output, sh, until};

const GRACE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_program_is_asked_to_stop_and_may_tidy_up() {
    let script = "trap 'echo tidy > $RUNLANE_OUTPUT_DIR/tidy; exit 0' TERM; echo > $RUNLANE_OUTPUT_DIR/ready; \
                  while true; do sleep 0.05; done";
    let scene = sh(script);
    let followed = scene.start(LEASE);
    scene.output_appears("ready").await;
    followed.stop(GRACE);
    assert_eq!(followed.completion().await, Completion::Stopped);
    assert_eq!(scene.output_appears("tidy").await, "tidy");
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_program_that_will_not_stop_is_killed_after_the_grace() {
    let scene = sh("trap '' TERM; echo > $RUNLANE_OUTPUT_DIR/ready; while true; do sleep 0.05; done");
    let followed = scene.start(LEASE);
    scene.output_appears("ready").await;
    let (begun, grace) = (Instant::now(), Duration::from_millis(700));
    followed.stop(grace);
    assert_eq!(followed.completion().await, Completion::Stopped);
    assert!(begun.elapsed() >= grace, "{:?}", begun.elapsed());
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_that_is_to_stop_before_it_began_never_begins() {
    let scene = sh("echo > $RUNLANE_OUTPUT_DIR/ran");
    let followed = scene.start(LEASE);
    followed.stop(GRACE);
    assert_eq!(followed.completion().await, Completion::NotBegun);
    assert!(!scene.output("ran").exists());
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn what_holds_the_output_open_does_not_hold_up_the_end() {
    let scene = sh("sleep 1000 & echo $! > $RUNLANE_OUTPUT_DIR/pid; echo 7 > $RUNLANE_RESULT");
    assert_eq!(output(scene.run().await).as_deref(), Some("7"));
    let pid = scene.output_appears("pid").await.parse().expect("a number");
    assert!(!is_alive(pid));
}

#[tokio::test]
async fn a_daemon_does_not_outlive_its_attempt() {
    // Away from its parent, its session, its output and its environment.
    let script = "(env -i setsid sh -c 'echo $$ > $0; exec sleep 1000' $RUNLANE_OUTPUT_DIR/pid \
                  >/dev/null 2>&1 </dev/null &) ; while ! test -s $RUNLANE_OUTPUT_DIR/pid; do sleep 0.02; done";
    let scene = sh(script);
    assert_eq!(output(scene.run().await), None);
    let pid = scene.output_appears("pid").await.parse().expect("a number");
    assert!(!is_alive(pid));
}

#[tokio::test]
async fn orphans_are_reaped_while_the_work_goes_on() {
    let script = "for i in 1 2 3 4 5; do (sh -c 'exit 0' & ) ; done; (sh -c 'echo $$ > $RUNLANE_OUTPUT_DIR/orphan' &); \
                  echo > $RUNLANE_OUTPUT_DIR/ready; exec sleep 1000";
    let scene = sh(script);
    let followed = scene.start(LEASE);
    let orphan: i32 = scene.output_appears("orphan").await.parse().expect("a number");
    until("the orphan to be reaped", || !fs::exists(format!("/proc/{orphan}")).expect("known")).await;
    followed.stop(Duration::ZERO);
    assert_eq!(followed.completion().await, Completion::Stopped);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_is_dead_by_the_end_of_a_lease_that_nobody_renews() {
    let scene = sh("trap 'echo asked > $RUNLANE_OUTPUT_DIR/asked' TERM; while true; do sleep 0.05; done");
    let (lease, begun) = (Duration::from_secs(3), Instant::now());
    let followed = scene.start(lease);
    assert_eq!(followed.completion().await, Completion::NotFound);
    let took = begun.elapsed();
    // Asked at two thirds, killed at the end; nothing guarantees how soon that is noticed.
    assert!(took >= Duration::from_secs(2) && took < lease + Duration::from_secs(2), "{took:?}");
    assert_eq!(scene.output_appears("asked").await, "asked");
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_goes_on_while_its_lease_is_renewed() {
    let scene = sh("sleep 4; echo 1 > $RUNLANE_RESULT");
    let followed = scene.start(Duration::from_secs(3));
    while !followed.is_over() {
        followed.sender.extend(tokio::time::Instant::now() + Duration::from_secs(3));
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    assert_eq!(output(followed.completion().await).as_deref(), Some("1"));
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_with_an_expired_lease_never_begins() {
    // However long it might have gone on after it had begun.
    let scene = sh("echo > $RUNLANE_OUTPUT_DIR/ran").with_patience(LEASE);
    assert_eq!(scene.start(Duration::ZERO).completion().await, Completion::NotFound);
    assert!(!scene.output("ran").exists());
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_signal_to_the_shim_stops_the_work_from_outside() {
    let scene = sh("echo > $RUNLANE_OUTPUT_DIR/ready; exec sleep 1000");
    let followed = scene.start(LEASE);
    scene.output_appears("ready").await;
    kill(scene.pid_of("shim"), "TERM");
    assert_eq!(failure(followed.completion().await).0, "stopped");
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_shim_that_is_killed_takes_the_work_with_it() {
    let script = "env -u NOTHING sleep 1000 & setsid sleep 1000 & echo > $RUNLANE_OUTPUT_DIR/ready; sleep 1000";
    let scene = sh(script);
    let followed = scene.start(LEASE);
    scene.output_appears("ready").await;
    let child = scene.pid_of("child");
    kill(scene.pid_of("shim"), "KILL");
    assert_eq!(followed.completion().await, Completion::NotFound);
    assert!(!is_alive(child));
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_that_is_left_goes_on() {
    let mut scene = sh("while ! test -e $RUNLANE_OUTPUT_DIR/go; do sleep 0.05; done; echo 5 > $RUNLANE_RESULT");
    let followed = scene.start(LEASE);
    until("the shim to be at work", || scene.is_taken_up()).await;
    followed.sender.order(Order::Leave);
    assert_eq!(followed.completion().await, Completion::Left);
    assert!(is_alive(scene.pid_of("shim")));
    fs::write(scene.output("go"), "").expect("written");
    assert_eq!(output(scene.adopt(LEASE).completion().await).as_deref(), Some("5"));
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_shim_that_hangs_cannot_keep_the_work_from_being_stopped() {
    let scene = sh("echo > $RUNLANE_OUTPUT_DIR/ready; exec sleep 1000");
    let followed = scene.start(LEASE);
    scene.output_appears("ready").await;
    kill(scene.pid_of("shim"), "STOP");
    followed.stop(Duration::ZERO);
    assert_eq!(followed.completion().await, Completion::Stopped);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn work_whose_reports_are_refused_is_followed_to_its_end() {
    let scene = sh("echo said; echo 1 > $RUNLANE_RESULT");
    scene.reporter.is_gone.store(true, Ordering::SeqCst);
    assert_eq!(output(scene.run().await).as_deref(), Some("1"));
    assert_eq!(scene.reporter.all(), []);
}
