//! The directory of one attempt: what lies where, and files that are there whole or not at all (but for its record).

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::OFlags;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::task::ProcessUser;

/// Before the epoch in the name of the payload.
pub(super) const INPUT: &str = "input-";
/// Who the shim and the work are and, in a second line, how it ended.
pub(super) const RECORD: &str = "record.jsonl";
/// How far the log was handed on.
pub(super) const SHIPPED: &str = "shipped";

/// How often it is tried to make a directory in one that others remove.
const RESERVE_TRIES: usize = 1000;

/// One attempt's directory.
#[derive(Clone, Debug)]
pub(super) struct Directory(PathBuf);

impl Directory {
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn exists(&self) -> bool {
        self.0.is_dir()
    }

    /// The payload, also on the program's standard input. Its name says by which epoch the attempt was begun.
    pub fn input(&self, epoch: i64) -> PathBuf {
        self.0.join(format!("{INPUT}{epoch}.json"))
    }

    /// Where the program puts files.
    pub fn output(&self) -> PathBuf {
        self.0.join("output")
    }

    /// Where the program puts its result, perhaps by renaming it into place. Another user than the worker's must not put
    /// anything beside the records of the attempt, and so has a directory for it.
    pub fn result(&self, user: Option<ProcessUser>) -> PathBuf {
        let place = if user.is_some() { self.0.join("result") } else { self.0.clone() };
        place.join("result.json")
    }

    /// What the program said, one frame a line.
    pub fn log(&self) -> PathBuf {
        self.0.join("log")
    }

    /// What the shim had to complain about, if anything.
    pub fn shim_log(&self) -> PathBuf {
        self.0.join("shim.log")
    }

    /// Makes the directory; fails if it is there.
    pub fn reserve(&self) -> io::Result<()> {
        for _ in 0..RESERVE_TRIES {
            // The work's user has to pass through what lies above the attempt, but not to look around there.
            if let Some(parent) = self.0.parent() {
                make_passage(parent)?;
            }
            match make_private(&self.0) {
                // Whoever removed the run's last attempt just now removed that, too.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                made => return made,
            }
        }
        Err(ErrorKind::NotFound.into())
    }

    /// Puts in what the program will look for, and gives it to its user.
    pub fn furnish(&self, epoch: i64, payload: &str, user: Option<ProcessUser>) -> io::Result<()> {
        make_private(&self.output())?;
        create_new(&self.input(epoch))?.write_all(payload.as_bytes())?;
        let Some(ProcessUser { uid, gid }) = user else { return Ok(()) };
        make_private(&self.0.join("result"))?;
        for own in [self.input(epoch), self.output(), self.0.join("result")] {
            chown(own, Some(uid), Some(gid))?;
        }
        chown(&self.0, None, Some(gid))?;
        fs::set_permissions(&self.0, Permissions::from_mode(0o710))
    }

    /// Writes a file that others read: under another name first, so that it is there whole or not at all.
    pub fn write(&self, name: &str, content: &impl Serialize) -> io::Result<()> {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let content = serde_json::to_vec(content)?;
        let count = WRITES.fetch_add(1, Ordering::Relaxed);
        let scratch = self.0.join(format!(".{name}.{}.{count}", std::process::id()));
        let written = create_new(&scratch).and_then(|mut file| file.write_all(&content));
        written.and_then(|()| fs::rename(&scratch, self.0.join(name))).inspect_err(|_| drop(fs::remove_file(&scratch)))
    }

    /// What a file says, if there is one.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        match fs::read(self.0.join(name)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes everything, and the run's directory if this was its last attempt.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.remove_parent();
        Ok(())
    }

    /// Deletes everything but files that the work put out.
    pub fn remove_all_but_output(&self) -> io::Result<()> {
        let output = self.output();
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.path() == output {
                // Fails where something is in it, as it should.
                let _ = fs::remove_dir(&output);
            } else if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        if fs::remove_dir(&self.0).is_ok() {
            self.remove_parent();
        }
        Ok(())
    }

    fn remove_parent(&self) {
        if let Some(parent) = self.0.parent() {
            // Fails where another attempt is in it, as it should.
            let _ = fs::remove_dir(parent);
        }
    }
}

/// Makes a directory that others may pass through.
pub(super) fn make_passage(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o711).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
        Ok(()) => match fs::set_permissions(path, Permissions::from_mode(0o711)) {
            // Removed already; whoever needs it finds that out.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            set => set,
        },
    }
}

/// Reads at most `limit` bytes of a file that the program may have put there: not what it links to, and without waiting
/// where it is a pipe.
pub(super) fn read_foreign(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = open_foreign(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Opens such a file.
pub(super) fn open_foreign(path: &Path) -> io::Result<Option<File>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    match file.metadata()?.is_file() {
        true => Ok(Some(file)),
        false => Err(io::Error::other("not a plain file")),
    }
}

fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

pub(super) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_has_its_directory_while_the_one_before_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for attempt in ["1", "2"] {
                let directory = Directory::new(folder.path().join("run").join(attempt));
                scope.spawn(move || {
                    for _ in 0..5_000 {
                        directory.reserve().expect("reserved");
                        directory.remove_all_but_output().expect("removed");
                    }
                });
            }
        });
        assert!(!folder.path().join("run").exists());
    }
}
