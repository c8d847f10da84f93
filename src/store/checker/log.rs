//! Where calls are written down: in memory, or as JSON lines that outlive the process.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Entry, Recording};
use crate::clock::Clock;

/// Gives out times that only ever rise, close to the store's clock. Processes of one machine share that clock.
pub struct Stamps {
    clock: Clock,
    last: AtomicI64,
}

impl Stamps {
    /// Follows `clock`; one that stands still is crept ahead of by a microsecond per call.
    pub fn new(clock: Clock) -> Self {
        Self { clock, last: AtomicI64::new(i64::MIN) }
    }

    pub(super) fn next(&self) -> i64 {
        let now = self.clock.host_now().as_microsecond();
        let rise = |last: i64| Some(now.max(last.saturating_add(1)));
        let last = self.last.fetch_update(Ordering::SeqCst, Ordering::SeqCst, rise).unwrap_or(now);
        now.max(last.saturating_add(1))
    }
}

/// What the actors of one process write to.
pub struct Log {
    pub(super) stamps: Stamps,
    sink: Mutex<Sink>,
}

enum Sink {
    Memory(Vec<Entry>),
    File(File),
}

impl Log {
    /// Keeps calls in memory.
    pub fn in_memory(clock: Clock) -> Arc<Self> {
        Arc::new(Self { stamps: Stamps::new(clock), sink: Mutex::new(Sink::Memory(Vec::new())) })
    }

    /// Writes each line to `path` at once, so that a kill loses nothing.
    pub fn to_file(clock: Clock, path: &Path) -> io::Result<Arc<Self>> {
        let sink = Mutex::new(Sink::File(File::create(path)?));
        Ok(Arc::new(Self { stamps: Stamps::new(clock), sink }))
    }

    /// # Panics
    /// When the file cannot be written: a recording with holes would accuse the innocent.
    pub(super) fn write(&self, entry: Entry) {
        match &mut *self.sink.lock().unwrap_or_else(PoisonError::into_inner) {
            Sink::Memory(entries) => entries.push(entry),
            Sink::File(file) => {
                let mut line = serde_json::to_vec(&entry).expect("an entry is plain data");
                line.push(b'\n');
                file.write_all(&line).expect("the recording can be written");
            }
        }
    }

    /// What was written so far, if it was kept in memory.
    pub fn recording(&self) -> Recording {
        match &*self.sink.lock().unwrap_or_else(PoisonError::into_inner) {
            Sink::Memory(entries) => Recording::merge(entries.iter().cloned()),
            Sink::File(_) => Recording::default(),
        }
    }
}

impl Recording {
    /// Reads and merges what several processes wrote. A line that a kill cut short says nothing.
    pub fn read<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> io::Result<Self> {
        let mut entries: Vec<Entry> = Vec::new();
        for path in paths {
            for line in BufReader::new(File::open(path)?).lines() {
                entries.extend(serde_json::from_str::<Entry>(&line?).ok());
            }
        }
        Ok(Self::merge(entries))
    }
}
