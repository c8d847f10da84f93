//! Who is at work on an attempt: the shim that has a lock on its own record there. A shim goes on from one attempt to the next,
//! so that it lives does not say on which it works; the lock does, and goes with it however it ends.

use std::fs::File;
use std::io::{self, ErrorKind, Write};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::directory::{Directory, SHIM};
use super::identity::Handle;
use super::record::Shim;

impl Directory {
    /// Says that the shim is at work here, for as long as the file is open.
    pub fn take_up(&self, record: &Shim) -> io::Result<File> {
        if self.path().join(SHIM).exists() {
            return Err(io::Error::other("another shim was here before"));
        }
        let content = serde_json::to_vec(record)?;
        // Locked before it has its name: whoever finds it finds it locked.
        self.place(SHIM, |file| {
            flock(&*file, FlockOperation::NonBlockingLockExclusive)?;
            file.write_all(&content)
        })
    }

    /// A hold on the shim that is at work here, if one is.
    pub fn shim_at_work(&self) -> io::Result<Option<Handle>> {
        let Some((file, record)) = self.shim_record()? else { return Ok(None) };
        // The hold comes first: a shim that has the lock afterwards is the one that is held.
        let Some(hold) = record.shim.hold()? else { return Ok(None) };
        Ok(is_locked(&file)?.then_some(hold))
    }

    /// Whether the shim of that record is at work here.
    pub fn is_at_work(&self, file: &File, record: &Shim) -> bool {
        record.shim.is_alive() && is_locked(file).unwrap_or(true)
    }

    /// What the shim wrote about itself, if it has come that far.
    pub fn shim_record(&self) -> io::Result<Option<(File, Shim)>> {
        let file = match File::open(self.path().join(SHIM)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let record = serde_json::from_slice(&io::read_to_string(&file)?.into_bytes())?;
        Ok(Some((file, record)))
    }
}

/// By somebody else. Those who only look do not get into each other's way.
fn is_locked(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(flock(file, FlockOperation::Unlock).map(|()| false)?),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(error) => Err(error.into()),
    }
}
