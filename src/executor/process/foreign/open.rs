//! A directory by its handle, and what can be done in it.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, StatxFlags, Uid, chmodat, fchmod, fchown, fstat, mkdirat, open,
    openat, renameat, statx, unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use super::entry::Entries;

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
/// What its owner needs to look into a directory and empty it.
const ALL: u32 = 0o700;

/// Which file it is, for as long as it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Place {
    pub device: u64,
    pub inode: u64,
}

/// A directory that is open.
#[derive(Debug)]
pub(in super::super) struct OpenDir {
    fd: OwnedFd,
    seen: Seen,
}

/// What the system says of an open file.
#[derive(Clone, Copy, Debug)]
struct Seen {
    place: Place,
    /// None where the system is too old to say.
    mount: Option<u64>,
    mode: u32,
    names: u64,
    user: u32,
}

impl OpenDir {
    /// By a path, which a program may have led elsewhere: whoever asks knows that nobody could, or compares the place.
    pub fn claimed(path: &Path) -> io::Result<Self> {
        Self::new(open(path, DIRECTORY, Mode::empty())?)
    }

    /// A directory in this one.
    pub fn dir(&self, name: impl Arg) -> io::Result<Self> {
        self.here(Self::new(openat(&self.fd, name, DIRECTORY, Mode::empty())?)?)
    }

    /// A directory in this one that is to be removed, whatever its mode is.
    pub fn dir_to_remove(&self, name: &CStr) -> io::Result<Self> {
        let dir = match self.dir(name) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => self.unlocked(name, |_| true)?,
            dir => dir?,
        };
        if dir.seen.mode & ALL != ALL {
            // Where this fails, so does what it was for.
            let _ = dir.set_mode(ALL);
        }
        Ok(dir)
    }

    /// A directory in this one that its mode closes to its owner, which is changed if the directory is the one.
    pub fn unlocked(&self, name: impl Arg, is_it: impl Fn(Place) -> bool) -> io::Result<Self> {
        // Opening it like this takes no rights to the directory itself, and is no link.
        let found = self.here(Self::new(openat(&self.fd, name, DIRECTORY | OFlags::PATH, Mode::empty())?)?)?;
        if !is_it(found.place()) {
            return Err(Errno::ACCESS.into());
        }
        chmodat(CWD, found.magic_path(), Mode::from_raw_mode(ALL), AtFlags::empty())?;
        Self::new(openat(&found.fd, c".", DIRECTORY, Mode::empty())?)
    }

    fn new(fd: OwnedFd) -> io::Result<Self> {
        let seen = Seen::of(fd.as_fd())?;
        Ok(Self { fd, seen })
    }

    /// Refuses what is mounted there.
    fn here(&self, found: Self) -> io::Result<Self> {
        match found.seen.is_beside(&self.seen) {
            true => Ok(found),
            false => Err(Errno::XDEV.into()),
        }
    }

    pub fn place(&self) -> Place {
        self.seen.place
    }

    /// Fails with `NotFound` once it was deleted.
    pub fn is_there(&self) -> io::Result<()> {
        match fstat(&self.fd)?.st_nlink {
            0 => Err(ErrorKind::NotFound.into()),
            _ => Ok(()),
        }
    }

    /// A path that leads to this directory, wherever it was moved, for calls that take nothing else.
    pub fn magic_path(&self) -> String {
        format!("/proc/self/fd/{}", self.fd.as_raw_fd())
    }

    /// What is in it, in no order.
    pub fn entries(&self) -> io::Result<Entries<'_>> {
        Ok(Entries::new(self, Dir::read_from(&self.fd)?))
    }

    pub fn has(&self, name: impl Arg) -> bool {
        statx(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::TYPE).is_ok()
    }

    /// What kind of file that name is.
    pub fn kind(&self, name: impl Arg) -> io::Result<FileType> {
        let found = rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileType::from_raw_mode(found.st_mode))
    }

    /// The size of a plain file, and nothing of any other.
    pub fn size(&self, name: impl Arg) -> u64 {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::RegularFile => {
                u64::try_from(found.st_size).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// When it was last changed.
    pub fn modified(&self) -> Option<SystemTime> {
        let found = fstat(&self.fd).ok()?;
        let (seconds, nanos) = (u64::try_from(found.st_mtime).ok()?, u32::try_from(found.st_mtime_nsec).ok()?);
        SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
    }

    /// A plain file, for reading. `user` is whose files may have other names.
    pub fn file(&self, name: impl Arg, user: Option<u32>) -> io::Result<Option<File>> {
        let fd = match openat(&self.fd, name, OFlags::RDONLY | FILE, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(io::Error::other("it is a link")),
            fd => fd?,
        };
        let seen = Seen::of(fd.as_fd())?;
        if !seen.is_plain() || !seen.is_beside(&self.seen) {
            return Err(io::Error::other("not a plain file"));
        }
        let user = user.unwrap_or_else(|| geteuid().as_raw());
        if seen.names > 1 && seen.user != user {
            return Err(io::Error::other("it belongs to another user and has other names, too"));
        }
        Ok(Some(fd.into()))
    }

    /// At most `limit` bytes of a plain file.
    pub fn read(&self, name: impl Arg, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(file) = self.file(name, None)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// A new file, for writing.
    pub fn create(&self, name: impl Arg) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | FILE;
        Ok(openat(&self.fd, name, flags, Mode::from_raw_mode(0o600))?.into())
    }

    /// A file for writing at its end: a new one, or one that has no other name.
    pub fn append(&self, name: &str) -> io::Result<File> {
        match self.create(name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made,
        }
        let fd = openat(&self.fd, name, OFlags::WRONLY | OFlags::APPEND | FILE, Mode::empty())?;
        let seen = Seen::of(fd.as_fd())?;
        match seen.is_plain() && seen.names == 1 && seen.is_beside(&self.seen) {
            true => Ok(fd.into()),
            false => Err(io::Error::other("not a plain file of its own")),
        }
    }

    /// A new directory; fails if it is there.
    pub fn make_dir(&self, name: impl Arg, mode: u32) -> io::Result<()> {
        Ok(mkdirat(&self.fd, name, Mode::from_raw_mode(mode))?)
    }

    pub fn rename(&self, from: impl Arg, into: &Self, to: impl Arg) -> io::Result<()> {
        Ok(renameat(&self.fd, from, &into.fd, to)?)
    }

    /// Removes anything but a directory.
    pub fn remove_file(&self, name: impl Arg) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes a directory that is empty, and nothing else.
    pub fn remove_dir(&self, name: impl Arg) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    pub fn give_to(&self, user: Option<u32>, group: u32) -> io::Result<()> {
        Ok(fchown(&self.fd, user.map(Uid::from_raw), Some(Gid::from_raw(group)))?)
    }

    /// Does nothing where it is so already.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        if self.seen.mode & 0o777 == mode {
            return Ok(());
        }
        Ok(fchmod(&self.fd, Mode::from_raw_mode(mode))?)
    }

    /// Waits until its names are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.fd)?)
    }
}

/// Gives a file away that was just made.
pub(in super::super) fn give_file_to(file: &File, user: u32, group: u32) -> io::Result<()> {
    Ok(fchown(file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?)
}

impl Seen {
    fn of(fd: BorrowedFd<'_>) -> io::Result<Self> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        match statx(fd, c"", AtFlags::EMPTY_PATH, wanted) {
            Ok(found) => {
                let knows_mount = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::MNT_ID);
                Ok(Self {
                    place: Place {
                        device: rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor),
                        inode: found.stx_ino,
                    },
                    mount: knows_mount.then_some(found.stx_mnt_id),
                    mode: u32::from(found.stx_mode),
                    names: found.stx_nlink.into(),
                    user: found.stx_uid,
                })
            }
            // A kernel before 4.11, or a container that does not let the call through.
            Err(Errno::NOSYS | Errno::PERM) => {
                let found = fstat(fd)?;
                let place = Place { device: found.st_dev, inode: found.st_ino };
                Ok(Self { place, mount: None, mode: found.st_mode, names: found.st_nlink as u64, user: found.st_uid })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn is_plain(&self) -> bool {
        FileType::from_raw_mode(self.mode) == FileType::RegularFile
    }

    /// On the same mount of the same file system.
    fn is_beside(&self, other: &Self) -> bool {
        self.place.device == other.place.device && self.mount == other.mount
    }
}
