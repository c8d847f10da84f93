//! The directory that the attempts of a machine share: makes those of single attempts, finds them again and removes them.

use std::collections::{HashMap, HashSet};
use std::fs::DirBuilder;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::directory::{Directory, INPUT, OUTPUT, RECORD, RESULT_DIR, SHIM_LOG};
use super::foreign::{Budget, Emptied, Entry, OpenDir, Origin, Place, empty, not_ours, unless_dir};
use super::lease;
use crate::run::RunId;

/// Says which directory this is where files were kept but the record was not.
pub(super) const MADE: &str = "made";

/// How often it is tried to make a directory in one that others remove.
const RESERVE_TRIES: usize = 1000;
/// A directory of an attempt that never began has fewer entries.
const FEW: usize = 100;
/// Attempts whose directories this process remembers; of more, the record has to say.
const MOST_REMEMBERED: usize = 100_000;

/// Open for as long as the worker runs, so that nobody can put another in its place.
#[derive(Debug)]
pub(super) struct Attempts {
    path: PathBuf,
    dir: OpenDir,
    made: Mutex<HashMap<(RunId, u32), Place>>,
    /// What was warned of.
    told: Mutex<HashSet<PathBuf>>,
}

/// What is to be removed of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unwanted {
    All,
    AllButOutput,
}

impl Attempts {
    /// Makes it if need be, in a directory that is the operator's.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let is_new = match DirBuilder::new().mode(0o711).create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
            made => made.map(|()| true)?,
        };
        let dir = OpenDir::claimed(&path).map_err(unless_dir(&path))?;
        if is_new {
            // Others may pass through it.
            dir.set_mode(0o711)?;
        }
        Ok(Self { path, dir, made: Mutex::default(), told: Mutex::default() })
    }

    pub fn dir(&self) -> &OpenDir {
        &self.dir
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn path_of(&self, run: RunId, attempt: u32) -> PathBuf {
        self.path.join(run.to_string()).join(attempt.to_string())
    }

    /// Makes the directory of an attempt; fails if it is there.
    pub fn make(&self, run: RunId, attempt: u32) -> io::Result<Directory> {
        let (path, run_name) = (self.path_of(run, attempt), run.to_string());
        for _ in 0..RESERVE_TRIES {
            let Some(above) = self.passage(&run_name)? else { continue };
            match above.make_dir(attempt.to_string(), 0o700) {
                // Whoever removed the run's last attempt just now removed that, too.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                made => made?,
            }
            let dir = above.dir(attempt.to_string()).map_err(unless_dir(&path))?;
            self.remember(run, attempt, dir.place());
            return Ok(Directory::new(path, dir));
        }
        Err(ErrorKind::NotFound.into())
    }

    /// The directory of a run, which the work's user has to pass through, but not to look around in. None if somebody has
    /// just removed it.
    fn passage(&self, run: &str) -> io::Result<Option<OpenDir>> {
        let is_new = match self.dir.make_dir(run, 0o711) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
            made => made.map(|()| true)?,
        };
        match self.dir.dir(run) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unless_dir(&self.path.join(run))(error)),
            Ok(dir) if is_new => dir.set_mode(0o711).map(|()| Some(dir)),
            Ok(dir) => Ok(Some(dir)),
        }
    }

    /// The directory that was made for the attempt. Fails if something else is there.
    pub fn find(&self, run: RunId, attempt: u32) -> io::Result<Option<Directory>> {
        Ok(self.find_named(run, attempt, &attempt.to_string())?.map(|(_, directory)| directory))
    }

    /// By the name that it has now, and with the directory of the run.
    pub fn find_named(&self, run: RunId, attempt: u32, name: &str) -> io::Result<Option<(OpenDir, Directory)>> {
        let above = self.path.join(run.to_string());
        let path = above.join(name);
        let Some(run_dir) = present(self.dir.dir(run.to_string())).map_err(unless_dir(&above))? else {
            return Ok(None);
        };
        let remembered = self.remembered(run, attempt);
        let opened = match (run_dir.dir(name), remembered) {
            // Its mode was taken away.
            (Err(error), Some(place)) if error.kind() == ErrorKind::PermissionDenied => {
                run_dir.unlocked(name, |found| found == place)
            }
            (opened, _) => opened,
        };
        let Some(dir) = present(opened).map_err(unless_dir(&path))? else { return Ok(None) };
        let directory = Directory::new(self.path_of(run, attempt), dir);
        self.prove(&directory, &path, run, attempt)?;
        Ok(Some((run_dir, directory)))
    }

    /// That this is the directory which was made for the attempt: this process remembers it, it is on record in it, or nothing
    /// has begun there yet.
    pub fn prove(&self, directory: &Directory, path: &Path, run: RunId, attempt: u32) -> io::Result<()> {
        let refuse = |why: &str| Err(not_ours(path, why));
        let found = Origin::new(run, attempt, directory.dir().place())?;
        if let Some(place) = self.remembered(run, attempt) {
            return if place == found.place { Ok(()) } else { refuse("another was made") };
        }
        match noted(directory) {
            Ok(Noted::Origin(noted)) if noted.is(&found) => Ok(()),
            Ok(Noted::Origin(_)) => refuse("its record is of another"),
            Ok(Noted::Older) => Ok(()),
            Ok(Noted::Nothing) if has_not_begun(directory.dir())? => Ok(()),
            Ok(Noted::Nothing) => refuse("it has no record"),
            Err(error) => refuse(&format!("its record cannot be read: {error}")),
        }
    }

    /// Removes what is unwanted of an attempt, as far as the budget goes. Its record goes last: until then, it says which
    /// directory this is.
    pub fn remove(
        &self,
        (run, attempt): (RunId, u32),
        name: &str,
        unwanted: Unwanted,
        budget: &mut Budget,
    ) -> io::Result<Emptied> {
        let Some((run_dir, directory)) = self.find_named(run, attempt, name)? else {
            self.forget(run, attempt);
            return Ok(Emptied::All);
        };
        let dir = directory.dir();
        let is_kept = |entry: &Entry| match entry.is_dir {
            true => unwanted == Unwanted::AllButOutput && entry.text() == OUTPUT,
            false => [RECORD, MADE].contains(&entry.text()),
        };
        if empty(dir, is_kept, budget)? == Emptied::Partly {
            return Ok(Emptied::Partly);
        }
        // Fails where something is in it, as it should.
        let keeps_output = unwanted == Unwanted::AllButOutput
            && dir.remove_dir(OUTPUT).is_err_and(|error| error.kind() == ErrorKind::DirectoryNotEmpty);
        if keeps_output {
            note_origin(dir, &Origin::new(run, attempt, dir.place())?)?;
            present(dir.remove_file(RECORD))?;
        } else {
            present(dir.remove_file(RECORD))?;
            present(dir.remove_file(MADE))?;
            run_dir.remove_dir(name)?;
            // Fails where another attempt is in it, as it should.
            let _ = self.dir.remove_dir(run.to_string());
        }
        self.forget(run, attempt);
        Ok(Emptied::All)
    }

    fn remembered(&self, run: RunId, attempt: u32) -> Option<Place> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).get(&(run, attempt)).copied()
    }

    pub fn remember(&self, run: RunId, attempt: u32, place: Place) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() < MOST_REMEMBERED {
            made.insert((run, attempt), place);
        }
    }

    /// Of an attempt that is another worker's now, or removed.
    pub fn forget(&self, run: RunId, attempt: u32) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).remove(&(run, attempt));
    }

    /// Warns of what is left alone, once.
    pub fn tell(&self, path: PathBuf, error: &io::Error) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < MOST_REMEMBERED && told.insert(path) {
            tracing::warn!(%error, "left alone what is in the place of an attempt's directory");
        }
    }
}

/// What a directory says of itself.
pub(super) enum Noted {
    Origin(Origin),
    /// By a release that did not note it.
    Older,
    Nothing,
}

pub(super) fn noted(directory: &Directory) -> io::Result<Noted> {
    if let Some((_, record)) = directory.shim_record()? {
        return Ok(record.origin.map_or(Noted::Older, Noted::Origin));
    }
    Ok(directory.read(MADE)?.map_or(Noted::Nothing, Noted::Origin))
}

fn note_origin(dir: &OpenDir, origin: &Origin) -> io::Result<()> {
    match dir.create(MADE) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        file => file?.write_all(&serde_json::to_vec(origin)?),
    }
}

/// Whether nothing is in it but what a worker puts there before the work begins, which is on record.
fn has_not_begun(dir: &OpenDir) -> io::Result<bool> {
    for (count, entry) in dir.entries()?.enumerate() {
        let entry = entry?;
        let name = entry.text();
        let is_expected = match entry.is_dir {
            true => [OUTPUT, RESULT_DIR].contains(&name) && dir.dir(name)?.entries()?.next().is_none(),
            false => [RECORD, SHIM_LOG].contains(&name) || name.starts_with(INPUT) || lease::is_name(name),
        };
        if count >= FEW || !is_expected {
            return Ok(false);
        }
    }
    Ok(true)
}

fn present<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_attempt_has_its_directory_while_the_one_before_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let attempts = Attempts::open(folder.path().into()).expect("open");
        let run = RunId::new();
        std::thread::scope(|scope| {
            for attempt in [1, 2] {
                let attempts = &attempts;
                scope.spawn(move || {
                    for _ in 0..2_000 {
                        attempts.make(run, attempt).expect("made");
                        let mut budget = Budget::new(10, Duration::from_secs(10));
                        let unwanted = Unwanted::AllButOutput;
                        let removed = attempts.remove((run, attempt), &attempt.to_string(), unwanted, &mut budget);
                        assert_eq!(removed.expect("removed"), Emptied::All);
                    }
                });
            }
        });
        assert!(!folder.path().join(run.to_string()).exists());
    }
}
