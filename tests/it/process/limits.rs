//! What a program may use.

use std::time::{Duration, Instant};

use runlane::executor::Stream;

use super::support::{failure, output, sh};

#[tokio::test]
async fn open_files_are_limited() {
    let scene = sh("ulimit -n > $RUNLANE_RESULT; ulimit -f").with(|task| {
        task.limits.open_files = Some(64);
        task.limits.file_bytes = Some(1 << 20);
    });
    assert_eq!(output(scene.run().await).as_deref(), Some("64"));
    assert_eq!(scene.lines(Stream::Stdout), ["2048"]);
}

#[tokio::test]
async fn memory_is_limited() {
    // The shell runs out of it where it would grow for ever.
    let script = "a=x; while true; do a=$a$a; done";
    let scene = sh(script).with(|task| task.limits.memory_bytes = Some(64 << 20));
    let (code, message) = failure(scene.run().await);
    assert!(code == "exit_code" || code == "killed_by_signal", "{code}: {message}");
}

#[tokio::test]
async fn cpu_time_is_limited() {
    let scene = sh("while true; do :; done").with(|task| task.limits.cpu_seconds = Some(1));
    let (code, message) = failure(scene.run().await);
    assert_eq!(code, "killed_by_signal");
    assert!(message.contains("SIGXCPU"), "{message}");
}

#[tokio::test]
async fn the_size_of_a_file_is_limited() {
    let scene = sh("exec head -c 5000 /dev/zero > $RUNLANE_OUTPUT_DIR/big").with(|task| {
        task.limits.file_bytes = Some(4096);
    });
    let (code, message) = failure(scene.run().await);
    assert_eq!(code, "killed_by_signal");
    assert!(message.contains("SIGXFSZ"), "{message}");
}

#[tokio::test]
async fn a_program_that_fills_its_output_directory_is_stopped() {
    let script = "mkdir $RUNLANE_OUTPUT_DIR/deep; ln -s / $RUNLANE_OUTPUT_DIR/root; \
                  head -c 3000000 /dev/zero > $RUNLANE_OUTPUT_DIR/deep/file; sleep 1000";
    let scene = sh(script).with(|task| task.limits.output_bytes = 2_000_000);
    let begun = Instant::now();
    let (code, message) = failure(scene.run().await);
    assert_eq!(code, "output_limit");
    assert_eq!(message, "the output directory exceeded its limit of 2000000 bytes");
    assert!(begun.elapsed() < Duration::from_secs(20));
}
