//! Where attempts live on this machine, how their shims are started, and what to do with what is left of them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::attempts::{Attempts, Unwanted};
use super::directory::OUTPUT;
use super::foreign::{Budget, Emptied};
use super::host_id;
use super::leftover::{self, Leftover};
use super::shim;
use super::shims::Shims;
use crate::run::RunId;

/// Two thirds of the usual time after which other machines may take a run over.
const PATIENCE: Duration = Duration::from_secs(40);

/// How long work that is left over may take to stop.
const LEFTOVER_GRACE: Duration = Duration::from_secs(10);

/// What is removed at once when an attempt has ended; of more, the rest is removed in the background.
const AT_ONCE: (u32, Duration) = (500, Duration::from_millis(50));
/// What is removed in the background at a time, of one directory after the other; the rest is removed with other leftovers.
const IN_BACKGROUND: (u32, Duration) = (10_000_000, Duration::from_secs(30));
/// What is removed of a leftover at a time, while other maintenance waits.
const OF_A_LEFTOVER: (u32, Duration) = (1_000_000, Duration::from_millis(500));

/// The part of a machine's disk that attempts run in. Workers that share it can adopt each other's work.
#[derive(Clone, Debug)]
pub struct ProcessHost {
    attempts: Arc<Attempts>,
    shims: Arc<Shims>,
    patience: Duration,
}

impl ProcessHost {
    /// Uses the directory `attempts` in `data_dir`, which is made if need be. The shim is this very program, whose
    /// `main` must therefore begin with [`shim::called`].
    pub fn new(data_dir: impl AsRef<Path>) -> io::Result<Self> {
        let data_dir = data_dir.as_ref();
        Self::make_data_dir(data_dir)?;
        let attempts = data_dir.canonicalize()?.join("attempts");
        let attempts = Arc::new(Attempts::open(attempts)?);
        // Not its path: another release may have been put there since this one was started.
        let shims = Shims::new(vec!["/proc/self/exe".into(), shim::ARGUMENT.into()]);
        Ok(Self { attempts, shims, patience: PATIENCE })
    }

    /// Makes the directory if there is none, so that no other user can look into it. Root's programs may run as other
    /// users, who have to pass through it.
    pub fn make_data_dir(data_dir: impl AsRef<Path>) -> io::Result<()> {
        let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        fs::DirBuilder::new().recursive(true).mode(mode).create(data_dir)
    }

    /// A name for the directory itself, on this machine: who has the same can adopt each other's work.
    pub fn id(&self) -> io::Result<String> {
        host_id::of(self.attempts.path())
    }

    /// Starts the shim with these arguments; the program must call [`shim::main`] with those that follow, while it has one thread.
    #[must_use]
    pub fn with_shim(self, shim: Vec<OsString>) -> Self {
        Self { shims: Shims::new(shim), ..self }
    }

    /// How long work goes on when its lease has run out, for another worker of this machine to adopt it. Must end well
    /// before workers of other machines may take the run over.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// Where the attempt puts its files.
    pub fn output_dir(&self, run: RunId, attempt: u32) -> PathBuf {
        self.attempts.path_of(run, attempt).join(OUTPUT)
    }

    /// Deletes what is left of an attempt that has ended and whose outcome was accepted, except files it put out. Where
    /// something else is in the place of its directory, that is left alone.
    pub async fn discard(&self, run: RunId, attempt: u32) -> io::Result<()> {
        let (entries, time) = AT_ONCE;
        let (name, mut few) = (attempt.to_string(), Budget::new(entries, time));
        match self.attempts.remove((run, attempt), &name, Unwanted::AllButOutput, &mut few)? {
            Emptied::All => Ok(()),
            Emptied::Partly => {
                static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
                let _turn = ONE_AT_A_TIME.lock().await;
                self.remove_slowly((run, attempt), name, Unwanted::AllButOutput, IN_BACKGROUND).await.map(drop)
            }
        }
    }

    /// What lies about, other than files that were put out and kept by [`discard`](Self::discard).
    pub fn leftovers(&self) -> io::Result<Vec<Leftover>> {
        leftover::list(&self.attempts)
    }

    /// Stops what is running of it and deletes everything; of very much, a part, and the rest when called again.
    pub async fn remove(&self, leftover: &Leftover) -> io::Result<Emptied> {
        let Some(directory) = leftover::find(&self.attempts, leftover)? else { return Ok(Emptied::All) };
        // Above whatever epoch its last worker had.
        if let Err(error) = directory.stop(i64::MAX, LEFTOVER_GRACE).await
            && directory.is_running()
        {
            return Err(error);
        }
        drop(directory);
        let attempt = (leftover.run, leftover.attempt);
        self.remove_slowly(attempt, leftover.name.clone(), Unwanted::All, OF_A_LEFTOVER).await
    }

    /// Deletes everything of an attempt that is to begin anew.
    pub(super) async fn clear(&self, run: RunId, attempt: u32) -> io::Result<()> {
        match self.remove_slowly((run, attempt), attempt.to_string(), Unwanted::All, IN_BACKGROUND).await? {
            Emptied::All => Ok(()),
            Emptied::Partly => Err(io::Error::other("what it left when it was begun before is not removed yet")),
        }
    }

    /// Deletes the directory of an attempt that did not begin.
    pub(super) fn remove_new(&self, run: RunId, attempt: u32) -> io::Result<()> {
        let (entries, time) = AT_ONCE;
        let mut few = Budget::new(entries, time);
        self.attempts.remove((run, attempt), &attempt.to_string(), Unwanted::All, &mut few).map(drop)
    }

    /// Not on a thread that others wait for.
    async fn remove_slowly(
        &self,
        attempt: (RunId, u32),
        name: String,
        unwanted: Unwanted,
        (entries, time): (u32, Duration),
    ) -> io::Result<Emptied> {
        let attempts = Arc::clone(&self.attempts);
        let remove = move || attempts.remove(attempt, &name, unwanted, &mut Budget::new(entries, time));
        tokio::task::spawn_blocking(remove).await.map_err(io::Error::other)?
    }

    pub(super) fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    pub(super) fn shims(&self) -> &Arc<Shims> {
        &self.shims
    }
}
