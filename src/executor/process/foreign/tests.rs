//! Trees as programs might make them: deep, large, closed, full of links, and changed meanwhile.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::*;

const LONG: Duration = Duration::from_secs(60);

fn folder() -> (TempDir, OpenDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = OpenDir::claimed(folder.path()).expect("open");
    (folder, dir)
}

/// Directories in each other, and a file at the bottom.
fn deep(top: &OpenDir, levels: usize) {
    let mut dir = top.dir(".").expect("open");
    for _ in 0..levels {
        dir.make_dir("d", 0o700).expect("made");
        dir = dir.dir("d").expect("open");
    }
    dir.create("file").expect("made");
}

fn empty_all(dir: &OpenDir) -> io::Result<Emptied> {
    empty(dir, |_| false, &mut Budget::new(u32::MAX, LONG))
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).expect("listed").next().is_none()
}

#[test]
fn a_tree_a_hundred_thousand_levels_deep_is_removed_with_few_descriptors() {
    // On a disk, that takes minutes.
    let memory = tempfile::tempdir_in("/dev/shm");
    let levels = if memory.is_ok() { 100_000 } else { 1_000 };
    let folder = memory.or_else(|_| tempfile::tempdir()).expect("a folder");
    let dir = OpenDir::claimed(folder.path()).expect("open");
    deep(&dir, levels);
    assert_eq!(empty_all(&dir).expect("emptied"), Emptied::All);
    assert!(is_empty(folder.path()));
}

#[test]
fn removing_goes_on_where_its_budget_ended() {
    let (folder, dir) = folder();
    deep(&dir, 100);
    for number in 0..100 {
        dir.create(number.to_string()).expect("made");
    }
    let mut passes = 0;
    while empty(&dir, |_| false, &mut Budget::new(20, LONG)).expect("emptied") == Emptied::Partly {
        passes += 1;
        assert!(passes < 100, "each pass removes something");
    }
    assert!(passes > 3 && is_empty(folder.path()));
    fs::write(folder.path().join("file"), "").expect("written");
    assert_eq!(empty(&dir, |_| false, &mut Budget::new(100, Duration::ZERO)).expect("late"), Emptied::Partly);
}

#[test]
fn links_are_removed_and_what_they_lead_to_is_not() {
    let (victim, _) = folder();
    fs::write(victim.path().join("file"), "precious").expect("written");
    let (folder, dir) = folder();
    fs::create_dir_all(folder.path().join("a/b")).expect("made");
    for link in ["link", "a/link", "a/b/link"] {
        symlink(victim.path(), folder.path().join(link)).expect("linked");
    }
    assert!(dir.dir("link").is_err() && dir.file("link", None).is_err());
    assert_eq!(empty_all(&dir).expect("emptied"), Emptied::All);
    assert!(is_empty(folder.path()));
    assert_eq!(fs::read_to_string(victim.path().join("file")).expect("read"), "precious");
}

#[test]
fn closed_directories_are_removed_by_their_owner() {
    let (folder, dir) = folder();
    for (number, mode) in [0o000, 0o300, 0o500, 0o600].into_iter().enumerate() {
        let path = folder.path().join(number.to_string());
        fs::create_dir_all(path.join("in")).expect("made");
        fs::write(path.join("in/file"), "").expect("written");
        fs::set_permissions(path.join("in"), Permissions::from_mode(mode)).expect("closed");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("closed");
    }
    assert_eq!(empty_all(&dir).expect("emptied"), Emptied::All);
    assert!(is_empty(folder.path()));
}

#[test]
fn what_is_kept_stays_and_names_of_what_is_moved_up_may_be_taken() {
    let (folder, dir) = folder();
    fs::create_dir_all(folder.path().join("kept/in")).expect("made");
    for number in 0..70 {
        fs::create_dir_all(folder.path().join(format!(".deep.{number}/in"))).expect("made");
    }
    deep(&dir, 100);
    let is_kept = |entry: &Entry| entry.text() == "kept";
    assert_eq!(empty(&dir, is_kept, &mut Budget::new(u32::MAX, LONG)).expect("emptied"), Emptied::All);
    let left: Vec<_> =
        fs::read_dir(folder.path()).expect("listed").map(|entry| entry.expect("read").file_name()).collect();
    assert_eq!(left, ["kept"]);
    assert!(folder.path().join("kept/in").exists());
}

#[test]
fn measuring_counts_plain_files_and_ends_at_its_bounds() {
    let (folder, dir) = folder();
    let (other, _) = self::folder();
    fs::write(other.path().join("large"), [0; 5000]).expect("written");
    symlink(other.path(), folder.path().join("link")).expect("linked");
    symlink(other.path().join("large"), folder.path().join("file-link")).expect("linked");
    fs::create_dir(folder.path().join("in")).expect("made");
    for file in ["a", "in/b"] {
        fs::write(folder.path().join(file), [0; 100]).expect("written");
    }
    let within = |entries, time| measure(dir.dir(".").expect("open"), &mut Budget::new(entries, time));
    assert_eq!(within(5, LONG), Measured::Bytes(200));
    assert_eq!(within(4, LONG), Measured::TooMuch);
    deep(&dir, MOST_LEVELS);
    assert_eq!(within(u32::MAX, LONG), Measured::TooMuch);
    for number in 0..200 {
        fs::write(folder.path().join(number.to_string()), "").expect("written");
    }
    assert!(matches!(within(u32::MAX - 1, Duration::ZERO), Measured::Bytes(_)));
    empty_all(&dir).expect("emptied");
}

#[test]
fn only_plain_files_are_read_and_nothing_is_waited_for() {
    let (folder, dir) = folder();
    assert!(dir.read("absent", 10).expect("nothing").is_none());
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, folder.path().join("fifo"), fifo, rustix::fs::Mode::RUSR, 0).expect("made");
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).expect("bound");
    fs::create_dir(folder.path().join("dir")).expect("made");
    for name in ["fifo", "socket", "dir"] {
        assert!(dir.read(name, 10).is_err() && dir.append(name).is_err(), "{name}");
    }
    fs::write(folder.path().join("file"), "0123456789abc").expect("written");
    assert_eq!(dir.read("file", 10).expect("read").expect("there"), b"0123456789");
    assert!(dir.append("file").is_ok() && dir.create("file").is_err());
    fs::hard_link(folder.path().join("file"), folder.path().join("other")).expect("linked");
    assert!(dir.append("file").is_err(), "somebody else's file may have this name, too");
    let nobody = rustix::process::geteuid().as_raw() + 1;
    assert!(dir.file("file", Some(nobody)).is_err() && dir.file("file", None).is_ok());
}

#[test]
fn an_origin_is_of_one_directory_for_one_attempt() {
    let (_kept, dir) = folder();
    let run = crate::run::RunId::new();
    let origin = Origin::new(run, 1, dir.place()).expect("known");
    let with = |change: &dyn Fn(&mut Origin)| {
        let mut other = origin.clone();
        change(&mut other);
        other.is(&origin)
    };
    assert!(with(&|_| {}));
    assert!(!with(&|other| other.place.inode += 1));
    assert!(!with(&|other| other.place.device += 1));
    assert!(!with(&|other| other.attempt += 1));
    assert!(!with(&|other| other.run = crate::run::RunId::new()));
    // Devices are numbered anew when the machine starts; numbers of files stay.
    assert!(with(&|other| (other.boot, other.place.device) = ("earlier".into(), 0)));
    assert!(!with(&|other| (other.boot, other.place.inode) = ("earlier".into(), 0)));
}
