//! What is left of attempts, and how it is tidied up.

use std::fs;

use super::support::{LEASE, is_alive, sh};

#[tokio::test]
async fn leftovers_are_listed_and_removed_with_what_runs_of_them() {
    let scene = sh("echo > $RUNLANE_OUTPUT_DIR/ready; exec sleep 1000");
    assert_eq!(scene.host.leftovers().expect("listed"), []);
    let followed = scene.start(LEASE);
    scene.output_appears("ready").await;
    followed.vanish();
    let child = scene.pid_of("child");
    let leftovers = scene.host.leftovers().expect("listed");
    let [leftover] = leftovers.as_slice() else { panic!("{leftovers:?}") };
    assert_eq!((leftover.run, leftover.attempt, leftover.is_running), (scene.work.run, 1, true));
    assert_eq!(leftover.workspace.as_ref(), Some(&scene.work.workspace));
    scene.host.remove(leftover).await.expect("removed");
    assert!(!is_alive(child));
    assert!(!scene.directory().parent().expect("a parent").exists());
    assert_eq!(scene.host.leftovers().expect("listed"), []);
    scene.nothing_is_left().await;
}

#[tokio::test]
async fn a_finished_attempt_is_discarded_but_for_its_files() {
    let scene = sh("echo > $RUNLANE_OUTPUT_DIR/file");
    scene.run().await;
    let [leftover] = scene.host.leftovers().expect("listed").try_into().expect("one");
    assert!(!leftover.is_running);
    scene.host.discard(scene.work.run, 1).await.expect("discarded");
    let mut names: Vec<_> =
        fs::read_dir(scene.directory()).expect("read").map(|entry| entry.expect("read").file_name()).collect();
    names.sort();
    assert_eq!(names, ["made", "output"]);
    assert!(scene.host.output_dir(scene.work.run, 1).join("file").exists());
    assert_eq!(scene.host.leftovers().expect("listed"), []);
}

#[tokio::test]
async fn a_finished_attempt_without_files_leaves_nothing() {
    let scene = sh("true");
    scene.run().await;
    scene.host.discard(scene.work.run, 1).await.expect("discarded");
    assert!(!scene.directory().parent().expect("a parent").exists());
    scene.host.discard(scene.work.run, 1).await.expect("again");
}
