//! Programs of another user, whom a worker that is root must not serve.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use runlane::executor::Completion;
use runlane::executor::process::ProcessUser;

use super::super::support::{LEASE, Scene, failure, sh};
use super::victim::Victim;

const NOBODY: ProcessUser = ProcessUser { uid: 65534, gid: 65534 };

/// As root, a scene whose program is nobody's, and may get to the victim but not read what is closed there.
fn scene_of_nobody(victim: &Victim, script: &str) -> Option<Scene> {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can run programs as others");
        return None;
    }
    let scene = sh(&victim.script(script)).with(|task| {
        task.user = Some(NOBODY);
        task.cwd = Some("/".into());
    });
    fs::set_permissions(scene.data_dir(), Permissions::from_mode(0o711)).expect("opened");
    Some(scene)
}

/// Where nobody can look around and write, except one file, which is root's own.
fn open_victim() -> Victim {
    Victim::with(|root| {
        fs::set_permissions(root, Permissions::from_mode(0o777)).expect("opened");
        fs::set_permissions(root.join("result.json"), Permissions::from_mode(0o600)).expect("closed");
    })
}

#[tokio::test]
async fn what_another_user_may_not_read_is_not_read_for_it() {
    let victim = open_victim();
    let tricks = ["ln -s VICTIM/result.json $RUNLANE_RESULT", "mkfifo $RUNLANE_RESULT"];
    for trick in tricks {
        let Some(scene) = scene_of_nobody(&victim, trick) else { return };
        assert_eq!(failure(scene.run().await).0, "invalid_result", "{trick}");
        scene.host.discard(scene.work.run, 1).await.expect("discarded");
    }
    // Where the system lets anybody link to anything.
    let Some(scene) = scene_of_nobody(&victim, "echo > $RUNLANE_OUTPUT_DIR/ready; sleep 1") else { return };
    let followed = scene.start(LEASE);
    scene.output_appears("ready").await;
    fs::hard_link(victim.path().join("result.json"), scene.directory().join("result/result.json")).expect("linked");
    let (code, message) = failure(followed.completion().await);
    assert_eq!(code, "invalid_result");
    assert!(message.contains("belongs to another user"), "{message}");
    scene.host.discard(scene.work.run, 1).await.expect("discarded");
    victim.is_unharmed();
}

#[tokio::test]
async fn what_another_user_put_into_its_directories_is_removed_and_nothing_else() {
    let victim = open_victim();
    let script = "cd $RUNLANE_OUTPUT_DIR; ln -s VICTIM link; ln -s VICTIM/result.json file; mkfifo fifo; \
                  mkdir -p a/b/c; ln -s VICTIM a/b/c/link; chmod 000 a/b; \
                  cd $(dirname $RUNLANE_RESULT); ln -s VICTIM link; mkdir -p d/e; ln -s VICTIM d/e/link; \
                  ! mv $RUNLANE_OUTPUT_DIR $RUNLANE_OUTPUT_DIR.x 2>/dev/null && ! rmdir $(pwd) 2>/dev/null";
    let Some(scene) = scene_of_nobody(&victim, script) else { return };
    assert_eq!(scene.run().await, Completion::Succeeded { output: None });
    scene.host.discard(scene.work.run, 1).await.expect("discarded");
    assert!(!scene.directory().join("result").exists() && scene.directory().join("output/link").is_symlink());
    // Begun anew, as after "try later": everything of the first time goes.
    assert_eq!(scene.run().await, Completion::Succeeded { output: None });
    let owner = fs::metadata(scene.directory().join("output")).expect("there");
    assert_eq!((owner.uid(), owner.gid()), (NOBODY.uid, NOBODY.gid));
    for leftover in scene.host.leftovers().expect("listed") {
        scene.host.remove(&leftover).await.expect("removed");
    }
    assert!(!scene.directory().parent().expect("a run").exists());
    victim.is_unharmed();
}
