//! How a program's end becomes an outcome.

use runlane::executor::Completion;
use runlane::executor::process::ProcessTask;
use runlane::run::lifecycle::Retry;

use super::support::{failure, output, scene, sh};

#[tokio::test]
async fn a_result_file_becomes_the_output() {
    let scene = sh(r#"cat > "$RUNLANE_RESULT.tmp" && mv "$RUNLANE_RESULT.tmp" "$RUNLANE_RESULT""#);
    assert_eq!(output(scene.run().await).as_deref(), Some(r#"{"a":1}"#));
}

#[tokio::test]
async fn a_program_without_a_result_succeeds_without_output() {
    assert_eq!(scene(ProcessTask::new(["true"])).run().await, Completion::Succeeded { output: None });
}

#[tokio::test]
async fn an_exit_code_is_named_with_the_last_words() {
    let scene = sh("echo trying; echo 'no such table' >&2; exit 3");
    let expected = ("exit_code".into(), "exited with code 3: no such table".into());
    assert_eq!(failure(scene.run().await), expected);
}

#[tokio::test]
async fn a_fatal_signal_is_named() {
    let (code, message) = failure(sh("kill -SEGV $$").run().await);
    assert_eq!((code.as_str(), message.as_str()), ("killed_by_signal", "killed by signal 11 (SIGSEGV)"));
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_named() {
    let (code, message) = failure(scene(ProcessTask::new(["no-such-program", "-x"])).run().await);
    assert_eq!(code, "program_not_found");
    assert!(message.starts_with("cannot start no-such-program: No such file"), "{message}");
}

#[tokio::test]
async fn a_file_that_is_not_executable_is_named() {
    let (code, message) = failure(scene(ProcessTask::new(["/etc/passwd"])).run().await);
    assert_eq!(code, "start_failed");
    assert!(message.starts_with("cannot start /etc/passwd: Permission denied"), "{message}");
}

#[tokio::test]
async fn success_with_an_unusable_result_is_a_failure() {
    let (code, message) = failure(sh("echo '{' > $RUNLANE_RESULT").run().await);
    assert_eq!(code, "invalid_result");
    assert!(message.starts_with("the result cannot be used: not valid JSON"), "{message}");
    let (code, message) = failure(sh(r#"printf '%s' '"\u0000"' > $RUNLANE_RESULT"#).run().await);
    assert_eq!(code, "invalid_result");
    assert!(message.contains("\\u0000"), "{message}");
}

#[tokio::test]
async fn a_result_that_is_too_large_is_refused() {
    let scene = sh("head -c 101 /dev/zero > $RUNLANE_RESULT").with(|task| task.limits.result_bytes = 100);
    let (code, message) = failure(scene.run().await);
    assert_eq!((code.as_str(), message.as_str()), ("result_too_large", "the result exceeds its limit of 100 bytes"));
}

#[tokio::test]
async fn a_result_is_not_read_through_a_link_nor_waited_for_in_a_pipe() {
    assert_eq!(failure(sh("ln -s /etc/passwd $RUNLANE_RESULT").run().await).0, "invalid_result");
    assert_eq!(failure(sh("mkfifo $RUNLANE_RESULT").run().await).0, "invalid_result");
}

#[tokio::test]
async fn a_shim_that_cannot_be_started_is_named() {
    let mut scene = sh("true");
    let host = (*scene.host).clone().with_shim(vec!["/no/such/shim".into()]);
    scene.host = std::sync::Arc::new(host);
    let (code, message) = failure(scene.run().await);
    assert_eq!(code, "start_failed");
    assert!(message.starts_with("cannot begin the attempt: cannot start the shim /no/such/shim"), "{message}");
    assert!(!scene.directory().exists());
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_a_failure_that_leaves_nothing_behind() {
    let mut scene = sh("true");
    // Hears what is asked of it, and is gone.
    let deaf = ["/bin/sh", "-c", "head -c 4 > /dev/null"].map(Into::into).to_vec();
    scene.host = std::sync::Arc::new((*scene.host).clone().with_shim(deaf));
    for _ in 0..2 {
        let (code, message) = failure(scene.run().await);
        assert_eq!(code, "start_failed");
        assert!(message.starts_with("cannot begin the attempt: no shim could be made"), "{message}");
        assert!(!scene.directory().exists());
    }
}

#[tokio::test]
async fn too_much_output_is_not_tried_again() {
    let scene = sh("head -c 5000 /dev/zero > $RUNLANE_OUTPUT_DIR/file").with(|task| task.limits.output_bytes = 4000);
    match scene.run().await {
        Completion::Failed { error, retry: Retry::Never } => assert_eq!(error.code, "output_limit"),
        other => panic!("{other:?}"),
    }
}

fn retry_of(completion: Completion) -> (String, Retry) {
    match completion {
        Completion::Failed { error, retry } => (error.message, retry),
        other => panic!("not failed: {other:?}"),
    }
}

#[tokio::test]
async fn exit_codes_say_whether_to_try_again() {
    let (message, retry) = retry_of(sh("echo 'bad row' >&2; exit 65").run().await);
    assert_eq!((message.as_str(), retry), ("exited with code 65 (not to be tried again): bad row", Retry::Never));
    let (message, retry) = retry_of(sh("exit 75").run().await);
    assert_eq!((message.as_str(), retry), ("exited with code 75 (to be tried later)", Retry::Later(None)));
    assert_eq!(retry_of(sh("exit 1").run().await).1, Retry::Backoff);
    let own = sh("exit 7").with(|task| task.no_retry_exit_codes = vec![7]);
    assert_eq!(retry_of(own.run().await).1, Retry::Never);
    let none = sh("exit 65").with(|task| task.no_retry_exit_codes = vec![]);
    assert_eq!(retry_of(none.run().await).1, Retry::Backoff);
}

#[tokio::test]
async fn what_a_program_says_last_about_another_attempt_counts() {
    let never = r#"echo '::runlane {"retry": false}'"#;
    let later = r#"echo '::runlane {"retry_in_seconds": 60}'"#;
    let minute = Retry::Later(Some(jiff::SignedDuration::from_secs(60)));
    assert_eq!(retry_of(sh(&format!("{never}; exit 1")).run().await).1, Retry::Never);
    assert_eq!(retry_of(sh(&format!("{never}; {later}; exit 65")).run().await).1, minute);
    assert_eq!(retry_of(sh(&format!("{never}; kill -KILL $$")).run().await).1, Retry::Never);
    let usual = r#"echo '::runlane {"retry": true}'; exit 65"#;
    assert_eq!(retry_of(sh(usual).run().await).1, Retry::Backoff);
    assert_eq!(sh(never).run().await, Completion::Succeeded { output: None });
}
