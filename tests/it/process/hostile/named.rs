//! One trick each.

use std::fs;
use std::time::{Duration, Instant};

use runlane::executor::{Completion, Executor};

use super::super::support::{Scene, failure, sh};
use super::victim::Victim;

/// Sees it through as a worker does, to the removal of what is left.
async fn played(scene: &Scene) -> Completion {
    let completion = scene.run().await;
    let begun = Instant::now();
    scene.executor().discard(&scene.work).await;
    assert!(begun.elapsed() < Duration::from_secs(10), "discarded within {:?}", begun.elapsed());
    completion
}

async fn play(script: &str) -> (Scene, Completion, Victim) {
    let victim = Victim::new();
    let scene = sh(&victim.script(script));
    let completion = played(&scene).await;
    victim.is_unharmed();
    (scene, completion, victim)
}

#[tokio::test]
async fn a_directory_that_a_link_has_replaced_is_left_alone() {
    let script = r#"d=$(dirname "$RUNLANE_RESULT"); mv "$d" "$d.x"; ln -s VICTIM "$d""#;
    let (scene, completion, victim) = play(script).await;
    assert_eq!(completion, Completion::Succeeded { output: None });
    assert!(fs::symlink_metadata(scene.directory()).expect("there").is_symlink());
    scene.executor().discard(&scene.work).await;
    victim.is_unharmed();
}

#[tokio::test]
async fn a_run_directory_that_a_link_has_replaced_is_left_alone() {
    play(r#"r=$(dirname "$RUNLANE_RESULT")/..; cd "$r"; r=$(pwd); mv "$r" "$r.x"; ln -s VICTIM "$r""#).await;
}

#[tokio::test]
async fn an_output_directory_that_is_a_link_is_not_measured_behind_it() {
    let victim = Victim::new();
    let script = r#"rmdir "$RUNLANE_OUTPUT_DIR"; ln -s VICTIM "$RUNLANE_OUTPUT_DIR""#;
    let scene = sh(&victim.script(script)).with(|task| task.limits.output_bytes = 1000);
    assert_eq!(played(&scene).await, Completion::Succeeded { output: None });
    victim.is_unharmed();
}

#[tokio::test]
async fn a_foreign_directory_in_the_place_of_the_attempt_is_left_alone() {
    let script = r#"d=$(dirname "$RUNLANE_RESULT"); mv "$d" "$d.x"; cp -a VICTIM "$d""#;
    let (scene, ..) = play(script).await;
    assert!(scene.directory().join("precious/deep/deeper/file").exists());
}

#[tokio::test]
async fn a_result_that_is_no_file_of_the_program_is_refused() {
    for trick in ["ln -s VICTIM/result.json $RUNLANE_RESULT", "mkfifo $RUNLANE_RESULT", "mkdir $RUNLANE_RESULT"] {
        let (_, completion, _) = play(trick).await;
        assert_eq!(failure(completion).0, "invalid_result", "{trick}");
    }
}
