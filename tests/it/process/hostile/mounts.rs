//! Programs of root that mount something in their directory, in a mount namespace that ends with the test.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use runlane::executor::{Completion, Executor};

use super::super::support::{LEASE, Scene, sh, try_host_in};
use super::victim::Victim;

/// Set for the test when it is in the namespace.
const INSIDE: &str = "RUNLANE_TEST_IN_MOUNT_NAMESPACE";

/// Beyond this, the output of a program is refused: the victim has more.
const OUTPUT_BYTES: u64 = 1000;

/// The shell is in the attempt's directory. What is mounted is mounted below `output` unless the script says otherwise.
const BELOW_THE_OUTPUT: [&str; 4] = [
    "mkdir output/m; mount --bind VICTIM output/m",
    "mkdir output/m; mount --rbind VICTIM/precious output/m; mkdir output/n; mount --bind VICTIM output/n",
    // Deeper than a removal goes without moving things up.
    "p=$(seq -s / 1 40); mkdir -p output/$p; mount --bind VICTIM output/$p",
    "mount --bind VICTIM output",
];

/// In the place of what the worker and the shim use.
const INSTEAD: [&str; 8] = [
    "cd /; mount --bind VICTIM \"$d\"",
    "cd /; mount --bind VICTIM \"$d/..\"",
    ": > result.json; mount --bind VICTIM/result.json result.json",
    ": > log; mount --bind VICTIM/log log; echo said",
    ": > shipped; mount --bind VICTIM/file shipped",
    ": > lease-1; mount --bind VICTIM/lease-1 lease-1",
    ": >> record.jsonl; mount --bind VICTIM/log record.jsonl",
    "mkdir m; mount --bind VICTIM m; mount --bind VICTIM/precious output",
];

#[tokio::test]
async fn what_is_mounted_below_the_output_is_neither_walked_nor_removed() {
    if !is_inside("what_is_mounted_below_the_output_is_neither_walked_nor_removed") {
        return;
    }
    for script in BELOW_THE_OUTPUT {
        let (scene, victim) = play(script);
        let reads = Reads::of(&victim);
        assert_eq!(scene.start(LEASE).completion().await, Completion::Succeeded { output: None }, "{script}");
        all_that_a_worker_removes(&scene).await;
        assert_eq!(reads.made(), Vec::<PathBuf>::new(), "{script}");
        victim.is_unharmed();
        all_goes_once_it_is_unmounted(&scene, &victim).await;
    }
}

#[tokio::test]
async fn what_is_mounted_in_the_place_of_a_workers_files_is_neither_used_nor_removed() {
    if !is_inside("what_is_mounted_in_the_place_of_a_workers_files_is_neither_used_nor_removed") {
        return;
    }
    for script in INSTEAD {
        let (scene, victim) = play(script);
        let completion = scene.start(LEASE).completion().await;
        let told = format!("{completion:?} {:?}", scene.reporter.all());
        assert!(!told.contains("the secret"), "{script}: {told}");
        all_that_a_worker_removes(&scene).await;
        victim.is_unharmed();
        all_goes_once_it_is_unmounted(&scene, &victim).await;
    }
}

/// Another file system has other numbers for the same files, and it is there only as long as it is mounted.
#[tokio::test]
async fn another_file_system_below_the_output_is_neither_walked_nor_removed() {
    if !is_inside("another_file_system_below_the_output_is_neither_walked_nor_removed") {
        return;
    }
    let script =
        "mkdir output/m; mount -t tmpfs none output/m; mkdir output/m/in; head -c 5000 /dev/zero > output/m/in/file";
    let (scene, victim) = play(script);
    assert_eq!(scene.start(LEASE).completion().await, Completion::Succeeded { output: None });
    let file = scene.output("m/in/file");
    let before = fs::metadata(&file).expect("mounted");
    all_that_a_worker_removes(&scene).await;
    let after = fs::metadata(&file).expect("still there");
    assert_eq!((after.len(), after.mtime(), after.ino()), (before.len(), before.mtime(), before.ino()));
    all_goes_once_it_is_unmounted(&scene, &victim).await;
}

/// Whether this is the namespace of the test with that name. Outside, plays the test inside, where that is permitted.
fn is_inside(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let unshare = || {
        let mut command = Command::new("unshare");
        command.arg("--mount");
        command
    };
    let folder = std::env::temp_dir();
    let tried = unshare().args(["mount", "--bind"]).args([&folder, &folder]).output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        eprintln!("skipped: `unshare --mount`, or mounting there, is not permitted here (it takes root)");
        return false;
    }
    let (_, module) = module_path!().split_once("::").expect("in a module");
    let mut inner = unshare();
    inner.arg(std::env::current_exe().expect("a path")).args(["--exact", &format!("{module}::{test}"), "--nocapture"]);
    let said = inner.env(INSIDE, "1").output().expect("it starts");
    let words = [said.stdout, said.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    assert!(said.status.success() && words.contains("1 passed"), "in the namespace:\n{words}");
    false
}

fn play(script: &str) -> (Scene, Victim) {
    let victim = Victim::new();
    let script = format!("set -e; d=$(dirname \"$RUNLANE_OUTPUT_DIR\"); cd \"$d\"\n{script}");
    let scene = sh(&victim.script(&script)).with(|task| task.limits.output_bytes = OUTPUT_BYTES);
    (scene, victim)
}

/// By the worker itself, and by another that finds what is left. What fails is reported, and may fail.
async fn all_that_a_worker_removes(scene: &Scene) {
    assert!(!mounts_below(&scene.data_dir()).is_empty(), "nothing is mounted");
    scene.executor().discard(&scene.work).await;
    let another = try_host_in(scene.data_dir()).expect("a host");
    for host in [&scene.host, &another] {
        for leftover in host.leftovers().expect("listed") {
            let _ = host.remove(&leftover).await;
        }
    }
    assert!(!mounts_below(&scene.data_dir()).is_empty(), "it is still mounted");
}

async fn all_goes_once_it_is_unmounted(scene: &Scene, victim: &Victim) {
    for mount in mounts_below(&scene.data_dir()).iter().rev() {
        assert!(Command::new("umount").arg("--lazy").arg(mount).status().expect("it starts").success());
    }
    scene.executor().discard(&scene.work).await;
    for leftover in scene.host.leftovers().expect("listed") {
        scene.host.remove(&leftover).await.expect("removed");
    }
    let left: Vec<_> = fs::read_dir(scene.directory()).into_iter().flatten().flatten().collect();
    assert!(left.iter().all(|entry| ["output", "made"].map(Into::into).contains(&entry.file_name())), "{left:?}");
    victim.is_unharmed();
}

/// In the order in which they were mounted.
fn mounts_below(folder: &Path) -> Vec<PathBuf> {
    let folder = folder.canonicalize().expect("a path");
    let mounts = fs::read_to_string("/proc/self/mountinfo").expect("read");
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(4).map(PathBuf::from));
    places.filter(|place| place.starts_with(&folder)).collect()
}

/// Whether somebody has listed a directory of the victim, as the system notes it.
struct Reads(Vec<PathBuf>);

impl Reads {
    fn of(victim: &Victim) -> Self {
        let directories = ["", "precious", "precious/deep", "output", "1"].map(|name| victim.path().join(name));
        let probe = tempfile::tempdir().expect("a folder");
        make_unread(probe.path());
        assert_eq!(fs::read_dir(probe.path()).expect("listed").count(), 0);
        if !is_read(probe.path()) {
            eprintln!("not shown: whether directories are walked, which this file system does not note");
            return Self(Vec::new());
        }
        directories.iter().for_each(|directory| make_unread(directory));
        Self(directories.into())
    }

    fn made(&self) -> Vec<PathBuf> {
        self.0.iter().filter(|directory| is_read(directory)).cloned().collect()
    }
}

/// Says that it was read last long before it was changed: then the next time is noted.
fn make_unread(directory: &Path) {
    let times = FileTimes::new().set_accessed(SystemTime::UNIX_EPOCH);
    File::open(directory).expect("open").set_times(times).expect("set");
}

fn is_read(directory: &Path) -> bool {
    fs::metadata(directory).expect("known").atime() != 0
}
