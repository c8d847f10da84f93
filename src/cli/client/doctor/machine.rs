//! What this machine has left: disk and open files.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::process::{Resource, getrlimit};

use super::report::Check;

const GIB: u64 = 1 << 30;

/// A worker with some hundred slots, or a server with as many callers, needs more than that.
const FEW_FILES: u64 = 1024;

/// How much room there is where `path` is, or will be.
pub(super) fn disk(name: &'static str, path: &Path) -> Option<Check> {
    let absolute = std::path::absolute(path).ok()?;
    let there = absolute.ancestors().find(|place| place.exists())?;
    let room = rustix::fs::statvfs(there).ok()?;
    let (free, all) = (room.f_bavail * room.f_frsize, room.f_blocks * room.f_frsize);
    Some(judge(name, path, free, all))
}

fn judge(name: &'static str, path: &Path, free: u64, all: u64) -> Check {
    let percent = free * 100 / all.max(1);
    let words = format!("{}: {:.1} GiB free of {:.1} ({percent}%)", path.display(), gib(free), gib(all));
    let remedy = "make room: a full disk stops every commit";
    if percent < 1 || free < GIB / 10 {
        Check::fail(name, words, remedy)
    } else if percent < 5 || free < GIB {
        Check::warn(name, words, remedy)
    } else {
        Check::ok(name, words)
    }
}

/// Whether everybody on the machine may read the database file, which holds every payload and output.
pub(super) fn privacy(file: &Path) -> Option<Check> {
    let mode = std::fs::metadata(file).ok()?.permissions().mode();
    let words = || format!("{}: every user of this machine can read it (mode {:o})", file.display(), mode & 0o777);
    (mode & 0o004 != 0).then(|| Check::warn("privacy", words(), format!("chmod 600 {}*", file.display())))
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / GIB as f64
}

pub(super) fn open_files() -> Check {
    let words = |most: u64| format!("a process may have {most} files open");
    match getrlimit(Resource::Nofile).current {
        Some(most) if most < FEW_FILES => {
            Check::warn("limits", words(most), "raise it: ulimit -n 65536, or LimitNOFILE=")
        }
        Some(most) => Check::ok("limits", words(most)),
        None => Check::ok("limits", "any number of files may be open"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::client::doctor::report::Level;

    #[test]
    fn a_database_that_everybody_can_read_is_warned_about() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert_eq!(privacy(file.path()), None);
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o644)).expect("its mode");
        let check = privacy(file.path()).expect("a warning");
        assert_eq!(check.level, Level::Warn);
        assert!(check.message.ends_with("(mode 644)"), "{}", check.message);
        assert_eq!(privacy(Path::new("/nowhere/at/all")), None);
    }

    #[test]
    fn a_disk_is_judged_by_what_is_left() {
        let level = |free, all| judge("disk", Path::new("x"), free, all).level;
        assert_eq!(level(500 * GIB, 1000 * GIB), Level::Ok);
        assert_eq!(level(20 * GIB, 1000 * GIB), Level::Warn);
        assert_eq!(level(GIB / 20, 4 * GIB), Level::Fail);
    }
}
