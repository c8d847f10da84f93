//! What this machine has left: disk and open files.

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
    fn a_disk_is_judged_by_what_is_left() {
        let level = |free, all| judge("disk", Path::new("x"), free, all).level;
        assert_eq!(level(500 * GIB, 1000 * GIB), Level::Ok);
        assert_eq!(level(20 * GIB, 1000 * GIB), Level::Warn);
        assert_eq!(level(GIB / 20, 4 * GIB), Level::Fail);
    }
}
