//! Hands on what the work says: every frame of the log once, whoever follows it and however often that changes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::timeout;

use super::directory::{Directory, LOG, SHIPPED};
use crate::executor::{Control, Gone, TimedReport};

const PACE: Duration = Duration::from_millis(200);
const BATCH_FRAMES: usize = 100;
const BATCH_BYTES: u64 = 256 * 1024;
/// How much of the log a byte of output can take, with what is around it.
const MOST_PER_BYTE: u64 = 16;
/// What may be in the log beside output: structured lines and notes.
const MOST_BESIDES: u64 = 64 << 20;

/// How far the log was handed on, and the event by which the store knows the same.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Shipped {
    frames: u64,
    bytes: u64,
    event: i64,
    /// Reports stored after that event that are not of this log: of the same attempt, before it was given back.
    foreign: u64,
}

pub(super) struct Shipper<'a> {
    directory: &'a Directory,
    control: Control,
    at: Shipped,
    log: Option<File>,
    has_place: bool,
    is_in_trouble: bool,
    /// How far the log goes at most: what is beyond, the shim has not written.
    most: u64,
}

/// Frames, and where the log goes on after each.
type Batch = Vec<(TimedReport, u64)>;

impl<'a> Shipper<'a> {
    /// `log_bytes` is what the log may hold of the output.
    pub fn new(directory: &'a Directory, control: Control, log_bytes: u64) -> Self {
        let most = log_bytes.saturating_mul(MOST_PER_BYTE).saturating_add(MOST_BESIDES);
        Self { directory, control, at: Shipped::default(), log: None, has_place: false, is_in_trouble: false, most }
    }

    /// Hands on the log as it grows, until all of it was that there was when `ended` became true.
    pub async fn run(mut self, mut ended: watch::Receiver<bool>) {
        loop {
            // Looked at before the log: what was written before the end is read after it.
            let is_last = *ended.borrow_and_update();
            match self.ship().await {
                Ok(()) => self.is_in_trouble = false,
                Err(Trouble::Gone) => return drop(ended.wait_for(|ended| *ended).await),
                Err(Trouble::Io(error)) if !std::mem::replace(&mut self.is_in_trouble, true) => {
                    tracing::warn!(directory = %self.directory.path().display(), %error, "cannot pass on the program's output");
                }
                // It has been said.
                Err(Trouble::Io(_)) => {}
            }
            if is_last {
                return;
            }
            let _ = timeout(PACE, ended.changed()).await;
        }
    }

    /// Hands on all there is now.
    async fn ship(&mut self) -> Result<(), Trouble> {
        loop {
            if self.log.is_none() && !self.open()? {
                return Ok(());
            }
            if !self.has_place {
                self.find_place().await?;
                self.has_place = true;
            }
            let batch = self.next_batch()?;
            let Some(&(_, bytes)) = batch.last() else { return Ok(()) };
            let frames = self.at.frames + batch.len() as u64;
            let said = batch.into_iter().map(|(said, _)| said).collect();
            let event = self.control.relay(said).await?;
            self.advance(Shipped { frames, bytes, event, foreign: 0 });
        }
    }

    /// Opens the log once there is something in it.
    fn open(&mut self) -> io::Result<bool> {
        self.log =
            self.directory.dir().file(LOG, None)?.filter(|file| file.metadata().is_ok_and(|data| data.len() > 0));
        Ok(self.log.is_some())
    }

    /// Goes to where the store left off. It may have stored more than was noted before the last follower was lost.
    async fn find_place(&mut self) -> Result<(), Trouble> {
        let noted: Option<Shipped> = self.directory.read(SHIPPED).unwrap_or_default();
        let stored = self.control.reported_since(noted.map_or(0, |noted| noted.event)).await?;
        let Some(noted) = noted else {
            self.advance(Shipped { foreign: stored, ..Shipped::default() });
            return Ok(());
        };
        self.at = noted;
        let mut ours = stored.saturating_sub(noted.foreign);
        while ours > 0 {
            let mut batch = self.next_batch()?;
            batch.truncate(usize::try_from(ours).unwrap_or(usize::MAX));
            let Some(&(_, bytes)) = batch.last() else { break };
            ours -= batch.len() as u64;
            self.at.frames += batch.len() as u64;
            self.at.bytes = bytes;
        }
        // Event and count stay as noted: together with the place they could only say the same.
        Ok(())
    }

    /// The place is also known from the store, so that it is no failure if it cannot be noted.
    fn advance(&mut self, at: Shipped) {
        self.at = at;
        if let Err(error) = self.directory.write(SHIPPED, &at) {
            tracing::debug!(directory = %self.directory.path().display(), %error, "cannot note how far the log is");
        }
    }

    /// The next whole frames. A line that is none was damaged by a full disk and is passed over, now as at any time.
    fn next_batch(&mut self) -> io::Result<Batch> {
        let Some(log) = &mut self.log else { return Ok(Vec::new()) };
        let mut place = self.at.bytes;
        log.seek(SeekFrom::Start(place))?;
        let mut text = Vec::new();
        log.take(BATCH_BYTES.min(self.most.saturating_sub(place))).read_to_end(&mut text)?;
        let mut batch = Batch::new();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if batch.len() == BATCH_FRAMES || !line.ends_with(b"\n") {
                break;
            }
            place += line.len() as u64;
            batch.extend(serde_json::from_slice(line).ok().map(|said| (said, place)));
        }
        Ok(batch)
    }
}

enum Trouble {
    Gone,
    Io(io::Error),
}

impl From<Gone> for Trouble {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
