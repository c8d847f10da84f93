//! The record of an attempt: who is at work on it, and then how that ended. Its shim has a lock on it in between. A shim goes on
//! from one attempt to the next, so that it lives does not say on which it works; the lock does, and goes with it however it
//! ends.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::directory::{Directory, LARGEST, RECORD};
use super::identity::Handle;
use super::record::{Exit, Shim};

/// The record, locked for as long as it is open.
pub(super) struct Held {
    file: File,
    /// Where the second line begins.
    end: u64,
}

impl Held {
    /// Says how the attempt ended. It counts once the line is whole, so that this can be tried again.
    pub fn conclude(&self, exit: &Exit) -> io::Result<()> {
        self.file.write_all_at(&line(exit)?, self.end)
    }

    /// For whoever is to see to it that it lasts. By now, whoever finds it open finds how it ended.
    pub fn release(self) -> io::Result<File> {
        flock(&self.file, FlockOperation::Unlock)?;
        Ok(self.file)
    }
}

impl Directory {
    /// Says that the shim is at work here. Fails if another was here before.
    pub fn take_up(&self, record: &Shim) -> io::Result<Held> {
        let content = line(record)?;
        let mut file = self.dir().create(RECORD)?;
        // Locked before it says anything: whoever can read who is here finds it locked.
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        file.write_all(&content)?;
        Ok(Held { file, end: content.len() as u64 })
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
        let Some((file, lines)) = self.record()? else { return Ok(None) };
        Ok(nth(&lines, 0)?.map(|record| (file, record)))
    }

    /// How the attempt ended, if it has.
    pub fn exit_record(&self) -> io::Result<Option<Exit>> {
        let Some((_, lines)) = self.record()? else { return Ok(None) };
        nth(&lines, 1)
    }

    /// As bytes: half a line may end in half a character.
    fn record(&self) -> io::Result<Option<(File, Vec<u8>)>> {
        let Some(file) = self.dir().file(RECORD, None)? else { return Ok(None) };
        let mut lines = Vec::new();
        (&file).take(LARGEST).read_to_end(&mut lines)?;
        Ok(Some((file, lines)))
    }
}

/// Half a line is none: it is being written, or was lost with the power.
fn nth<T: DeserializeOwned>(lines: &[u8], number: usize) -> io::Result<Option<T>> {
    match lines.split_inclusive(|byte| *byte == b'\n').nth(number) {
        Some(line) if line.ends_with(b"\n") => Ok(Some(serde_json::from_slice(line)?)),
        _ => Ok(None),
    }
}

fn line(content: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(content)?;
    line.push(b'\n');
    Ok(line)
}

/// By somebody else. Those who only look do not get into each other's way.
fn is_locked(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(flock(file, FlockOperation::Unlock).map(|()| false)?),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;
    use crate::executor::process::identity::Identity;
    use crate::executor::process::record::Why;

    #[tokio::test]
    async fn an_end_counts_once_its_line_is_whole_and_by_then_the_record_is_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = Directory::claim(folder.path(), None).expect("open");
        let me = Identity::of(std::process::id() as i32).expect("myself");
        let held = directory.take_up(&Shim { workspace: None, shim: me, child: None, origin: None }).expect("taken up");
        assert!(directory.shim_at_work().expect("read").is_some());
        assert_eq!(directory.exit_record().expect("read"), None);

        let exit = Exit { last_words: vec!["ü".into()], ..Exit::without_work(Why::NeverStarted) };
        let line = line(&exit).expect("a line");
        let in_a_character = line.iter().position(|byte| !byte.is_ascii()).expect("a character") + 1;
        held.file.write_all_at(&line[..in_a_character], held.end).expect("half of it");
        assert!(directory.shim_at_work().expect("read").is_some());
        assert_eq!(directory.exit_record().expect("read"), None);
        held.conclude(&exit).expect("written");
        assert_eq!(directory.exit_record().expect("read"), Some(exit));
        assert!(directory.shim_at_work().expect("read").is_some(), "until it is released");
        held.release().expect("released");
        assert!(directory.shim_at_work().expect("read").is_none());
    }

    #[test]
    fn who_is_there_counts_once_the_line_is_whole_and_nobody_comes_after() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = Directory::claim(folder.path(), None).expect("open");
        let me = Identity::of(std::process::id() as i32).expect("myself");
        let shim = Shim { workspace: None, shim: me, child: None, origin: None };
        let whole = line(&shim).expect("a line");
        for half in [0, whole.len() - 1] {
            std::fs::write(folder.path().join(RECORD), &whole[..half]).expect("half of it");
            assert!(directory.shim_record().expect("read").is_none());
            assert!(!directory.is_running());
        }
        let error = directory.take_up(&shim).map(drop).expect_err("another was here");
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    }
}
