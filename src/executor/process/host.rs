//! Where attempts live on this machine, how their shims are started, and what to do with what is left of them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::directory::{Directory, RECORD, make_passage};
use super::shim;
use super::shims::Shims;
use crate::clock;
use crate::run::{RunId, WorkspaceName};

/// Two thirds of the usual time after which other machines may take a run over.
const PATIENCE: Duration = Duration::from_secs(40);

/// How long work that is left over may take to stop.
const LEFTOVER_GRACE: Duration = Duration::from_secs(10);

/// The part of a machine's disk that attempts run in. Workers that share it can adopt each other's work.
#[derive(Clone, Debug)]
pub struct ProcessHost {
    attempts: PathBuf,
    shims: Arc<Shims>,
    patience: Duration,
}

/// What lies about of an attempt. Whether it is of any use is for those to say who know the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Whose run it is; unknown where the attempt never came to be.
    pub workspace: Option<WorkspaceName>,
    /// The run.
    pub run: RunId,
    /// Which try.
    pub attempt: u32,
    /// Whether its shim or its work is running.
    pub is_running: bool,
    /// Since it was begun or, if that is on record, ended.
    pub age: Duration,
}

impl ProcessHost {
    /// Uses the directory `attempts` in `data_dir`, which is made if need be. The shim is this very program, whose
    /// `main` must therefore begin with [`shim::called`].
    pub fn new(data_dir: impl AsRef<Path>) -> io::Result<Self> {
        let data_dir = data_dir.as_ref();
        Self::make_data_dir(data_dir)?;
        let attempts = data_dir.canonicalize()?.join("attempts");
        make_passage(&attempts)?;
        // Not its path: another release may have been put there since this one was started.
        let shims = Shims::new(vec!["/proc/self/exe".into(), shim::WORD.into()]);
        Ok(Self { attempts, shims, patience: PATIENCE })
    }

    /// Makes the directory if there is none, so that no other user can look into it. Root's programs may run as other
    /// users, who have to pass through it.
    pub fn make_data_dir(data_dir: impl AsRef<Path>) -> io::Result<()> {
        let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        fs::DirBuilder::new().recursive(true).mode(mode).create(data_dir)
    }

    /// A name for the directory itself, made at random when it is first asked for: who has the same can adopt each other's
    /// work.
    pub fn id(&self) -> io::Result<String> {
        let path = self.attempts.with_file_name("id");
        // Linked into place, so that of two who are first both get the same, and whole.
        let draft = self.attempts.with_file_name(format!("id.{}", std::process::id()));
        if !path.exists() {
            fs::write(&draft, format!("{:08x}", fastrand::u32(..)))?;
            let linked = fs::hard_link(&draft, &path);
            fs::remove_file(&draft)?;
            match linked {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(fs::read_to_string(&path)?.trim().to_owned())
    }

    /// Asks for the shim by these words; the program must call [`shim::main`] with what follows them, while it has one
    /// thread.
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
        self.directory(run, attempt).output()
    }

    /// Deletes what is left of an attempt that has ended and whose outcome was accepted, except files it put out.
    pub fn discard(&self, run: RunId, attempt: u32) -> io::Result<()> {
        self.directory(run, attempt).remove_all_but_output()
    }

    /// What lies about, other than files that were put out and kept by [`discard`](Self::discard).
    pub fn leftovers(&self) -> io::Result<Vec<Leftover>> {
        let mut found = Vec::new();
        for (run, path) in numbered::<RunId>(&self.attempts)? {
            for (attempt, path) in numbered::<u32>(&path)? {
                found.extend(leftover(run, attempt, &path));
            }
        }
        found.sort_by_key(|leftover| (leftover.run, leftover.attempt));
        Ok(found)
    }

    /// Stops what is running of it and deletes everything.
    pub async fn remove(&self, leftover: &Leftover) -> io::Result<()> {
        let directory = self.directory(leftover.run, leftover.attempt);
        if !directory.exists() {
            return Ok(());
        }
        // Above whatever epoch its last worker had.
        directory.stop(i64::MAX, LEFTOVER_GRACE).await?;
        directory.remove()
    }

    pub(super) fn directory(&self, run: RunId, attempt: u32) -> Directory {
        Directory::new(self.attempts.join(run.to_string()).join(attempt.to_string()))
    }

    pub(super) fn shims(&self) -> &Arc<Shims> {
        &self.shims
    }
}

/// The directories in a directory whose names are what is looked for.
fn numbered<T: std::str::FromStr>(path: &Path) -> io::Result<Vec<(T, PathBuf)>> {
    let entries = match fs::read_dir(path) {
        // Someone else tidied up meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let named = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        Some((entry.file_name().to_str()?.parse().ok()?, entry.path()))
    };
    Ok(entries.filter_map(named).collect())
}

fn leftover(run: RunId, attempt: u32, path: &Path) -> Option<Leftover> {
    let directory = Directory::new(path.to_owned());
    let mut names = fs::read_dir(path).ok()?.filter_map(|entry| Some(entry.ok()?.file_name()));
    if names.all(|name| name == "output") && directory.output().exists() {
        return None;
    }
    let shim = directory.shim_record().ok().flatten();
    let written = fs::metadata(path.join(RECORD)).or_else(|_| fs::metadata(path)).and_then(|data| data.modified());
    Some(Leftover {
        workspace: shim.and_then(|(_, record)| record.workspace),
        run,
        attempt,
        is_running: directory.is_running(),
        age: written.map(clock::age_of).unwrap_or_default(),
    })
}
