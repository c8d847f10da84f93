//! The directory of one attempt: what lies where, and files that are there whole or not at all (but for its record).

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::foreign::{Budget, Measured, OpenDir, Place, give_file_to, measure, not_ours};
use super::task::ProcessUser;

/// Before the epoch in the name of the payload.
pub(super) const INPUT: &str = "input-";
/// Who the shim and the work are and, in a second line, how it ended.
pub(super) const RECORD: &str = "record.jsonl";
/// How far the log was handed on.
pub(super) const SHIPPED: &str = "shipped";
/// What the program said, one frame a line.
pub(super) const LOG: &str = "log";
/// What the shim had to complain about, if anything.
pub(super) const SHIM_LOG: &str = "shim.log";
/// Where the program puts files.
pub(super) const OUTPUT: &str = "output";
/// Where another user than the worker's puts its result.
pub(super) const RESULT_DIR: &str = "result";
/// The result itself.
const RESULT: &str = "result.json";

/// More than any file that is read whole has to say.
pub(super) const LARGEST: u64 = 1 << 20;
/// How many files and directories are counted in an output directory.
pub(super) const MOST_OUTPUT_ENTRIES: u32 = 1_000_000;
/// How long it may take to measure it.
const LONGEST_MEASURE: Duration = Duration::from_secs(5);

/// One attempt's directory, open: whatever becomes of its path, this is the one that was made.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    dir: OpenDir,
}

/// The payload, also on the program's standard input. Its name says by which epoch the attempt was begun.
fn input(epoch: i64) -> String {
    format!("{INPUT}{epoch}.json")
}

/// The files in the output directory, together.
pub(super) fn measure_output(output: Option<OpenDir>) -> Measured {
    match output {
        Some(output) => measure(output, &mut Budget::new(MOST_OUTPUT_ENTRIES, LONGEST_MEASURE)),
        None => Measured::Bytes(0),
    }
}

impl Directory {
    pub fn new(path: PathBuf, dir: OpenDir) -> Self {
        Self { path, dir }
    }

    /// The directory at that path, if it is the one; fails with `NotFound` where there is none.
    pub fn claim(path: &Path, place: Option<Place>) -> io::Result<Self> {
        let dir = OpenDir::claimed(path)?;
        match place.is_none_or(|place| place == dir.place()) {
            true => Ok(Self::new(path.to_owned(), dir)),
            false => Err(not_ours(path, "it has another number")),
        }
    }

    /// Where it was made. For people and programs: the worker and the shim go by the handle.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn dir(&self) -> &OpenDir {
        &self.dir
    }

    pub fn input(&self, epoch: i64) -> PathBuf {
        self.path.join(input(epoch))
    }

    pub fn output(&self) -> PathBuf {
        self.path.join(OUTPUT)
    }

    /// Where the program puts its result, perhaps by renaming it into place. Another user than the worker's must not put
    /// anything beside the records of the attempt, and so has a directory for it.
    pub fn result(&self, user: Option<ProcessUser>) -> PathBuf {
        let place = if user.is_some() { self.path.join(RESULT_DIR) } else { self.path.clone() };
        place.join(RESULT)
    }

    /// Puts in what the program will look for, and gives it to its user.
    pub fn furnish(&self, epoch: i64, payload: &str, user: Option<ProcessUser>) -> io::Result<()> {
        self.dir.make_dir(OUTPUT, 0o700)?;
        let mut file = self.dir.create(input(epoch))?;
        file.write_all(payload.as_bytes())?;
        let Some(ProcessUser { uid, gid }) = user else { return Ok(()) };
        give_file_to(&file, uid, gid)?;
        self.dir.make_dir(RESULT_DIR, 0o700)?;
        for own in [OUTPUT, RESULT_DIR] {
            self.dir.dir(own)?.give_to(Some(uid), gid)?;
        }
        self.dir.give_to(None, gid)?;
        self.dir.set_mode(0o710)
    }

    /// Whether the payload is there that the attempt was begun with by that epoch.
    pub fn has_input(&self, epoch: i64) -> bool {
        self.dir.has(input(epoch))
    }

    pub fn open_input(&self, epoch: i64) -> io::Result<File> {
        self.dir.file(input(epoch), None)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The result, and the directory that it is in.
    pub fn open_result(&self, user: Option<ProcessUser>) -> io::Result<Option<(File, OpenDir)>> {
        let dir = match user {
            Some(_) => self.dir.dir(RESULT_DIR)?,
            None => self.dir.dir(".")?,
        };
        Ok(dir.file(RESULT, user.map(|user| user.uid))?.map(|file| (file, dir)))
    }

    /// At most so many bytes of the result.
    pub fn read_result(&self, user: Option<ProcessUser>, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let Some((file, _)) = self.open_result(user)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// The output directory; none where something else has taken its place.
    pub fn output_dir(&self) -> Option<OpenDir> {
        self.dir.dir(OUTPUT).ok()
    }

    /// Writes a file that others read: under another name first, so that it is there whole or not at all.
    pub fn write(&self, name: &str, content: &impl Serialize) -> io::Result<()> {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let content = serde_json::to_vec(content)?;
        let count = WRITES.fetch_add(1, Ordering::Relaxed);
        let scratch = format!(".{name}.{}.{count}", std::process::id());
        let written = self.dir.create(&scratch).and_then(|mut file| file.write_all(&content));
        written
            .and_then(|()| self.dir.rename(&scratch, &self.dir, name))
            .inspect_err(|_| drop(self.dir.remove_file(&scratch)))
    }

    /// What a file says, if there is one.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        match self.dir.read(name, LARGEST)? {
            Some(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            None => Ok(None),
        }
    }
}
