//! Which data directory on which machine this is. Workers that name the same adopt each other's programs at once, so a copy
//! must never name the same as its original.

use std::fs;
use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use sha2::{Digest, Sha256};

use super::identity::boot_id;

/// Hex digits of an id.
const LENGTH: usize = 8;

/// The id of a directory that is there. It is computed, not stored, so there is nothing that could be copied with the
/// directory.
pub(super) fn of(directory: &Path) -> io::Result<String> {
    on(&machine()?, directory)
}

fn on(machine: &str, directory: &Path) -> io::Result<String> {
    let found = statx(CWD, directory, AtFlags::empty(), StatxFlags::BASIC_STATS | StatxFlags::BTIME)?;
    // Where the file system does not say when it was made, that is always the same.
    let (device, made) =
        ((found.stx_dev_major, found.stx_dev_minor), (found.stx_btime.tv_sec, found.stx_btime.tv_nsec));
    let digest = Sha256::digest(format!("{machine} {device:?} {} {made:?}", found.stx_ino));
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..LENGTH].to_owned())
}

/// The machine: by its own id, which outlives a reboot. Containers often have none; they are known by the boot of their
/// machine, and by another name after the next.
fn machine() -> io::Result<String> {
    let id = fs::read_to_string("/etc/machine-id").unwrap_or_default();
    match id.trim() {
        id if id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) => Ok(id.to_owned()),
        _ => Ok(format!("boot {}", boot_id()?)),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_directory_keeps_its_id_whatever_is_put_into_it_and_wherever_it_is_moved() {
        let place = tempfile::tempdir().expect("a directory");
        let (data, moved) = (place.path().join("data"), place.path().join("moved"));
        fs::create_dir(&data).expect("made");
        let id = of(&data).expect("an id");
        assert_eq!(id.len(), LENGTH);
        fs::write(data.join("file"), "content").expect("written");
        assert_eq!(of(&data).expect("an id"), id);
        fs::rename(&data, &moved).expect("moved");
        assert_eq!(of(&moved).expect("an id"), id);
    }

    #[test]
    fn a_copy_has_another_id() {
        let place = tempfile::tempdir().expect("a directory");
        let (data, copy) = (place.path().join("data"), place.path().join("copy"));
        fs::create_dir(&data).expect("made");
        let copied = Command::new("cp").arg("-a").args([&data, &copy]).status().expect("it starts");
        assert!(copied.success());
        assert_ne!(of(&data).expect("an id"), of(&copy).expect("an id"));
    }

    #[test]
    fn a_directory_shared_by_machines_has_an_id_on_each() {
        let place = tempfile::tempdir().expect("a directory");
        let ids = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210", "boot 1"];
        let [one, other, third] = ids.map(|machine| on(machine, place.path()).expect("an id"));
        assert!(one != other && other != third && third != one);
    }
}
