//! What attempts left behind on this machine, found by what lies in their directories.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::attempts::{Attempts, MADE, Noted, noted};
use super::directory::{Directory, OUTPUT};
use super::foreign::{Entry, OpenDir, not_ours, unless_dir};
use crate::clock;
use crate::run::{RunId, WorkspaceName};

/// A run has fewer attempts here; who put more there is passed over.
const MOST_IN_A_RUN: usize = 10_000;

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
    /// Of its directory, which the program may have renamed.
    pub(super) name: String,
}

/// All of them, in order. What is in the place of a directory but is another is told of and left alone.
pub(super) fn list(attempts: &Attempts) -> io::Result<Vec<Leftover>> {
    let mut found = Vec::new();
    for entry in attempts.dir().entries()? {
        let entry = entry?;
        let Ok(run) = entry.text().parse::<RunId>() else { continue };
        let path = attempts.path().join(entry.text());
        match attempts.dir().dir(&*entry.name) {
            Ok(run_dir) => found.extend(of_run(attempts, run, &run_dir, &path)?),
            // Someone else tidied up meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => attempts.tell(path.clone(), &unless_dir(&path)(error)),
        }
    }
    found.sort_by_key(|leftover| (leftover.run, leftover.attempt));
    Ok(found)
}

/// The directory of one, by the name that it has.
pub(super) fn find(attempts: &Attempts, leftover: &Leftover) -> io::Result<Option<Directory>> {
    attempts
        .find_named(leftover.run, leftover.attempt, &leftover.name)
        .map(|found| found.map(|(_, directory)| directory))
}

fn of_run(attempts: &Attempts, run: RunId, run_dir: &OpenDir, path: &Path) -> io::Result<Vec<Leftover>> {
    let mut found = Vec::new();
    for entry in run_dir.entries()?.take(MOST_IN_A_RUN) {
        let entry = entry?;
        let path = path.join(entry.text());
        match leftover(attempts, run, run_dir, &entry, &path) {
            Ok(leftover) => found.extend(leftover),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => attempts.tell(path, &error),
        }
    }
    Ok(found)
}

fn leftover(
    attempts: &Attempts,
    run: RunId,
    run_dir: &OpenDir,
    entry: &Entry,
    path: &Path,
) -> io::Result<Option<Leftover>> {
    if !entry.is_dir {
        return Err(not_ours(path, "it is a link or a file"));
    }
    let dir = run_dir.dir(&*entry.name).map_err(unless_dir(path))?;
    let directory = Directory::new(path.to_owned(), dir);
    let attempt = match (entry.text().parse(), noted(&directory)) {
        (Ok(attempt), _) => attempt,
        // Renamed by the program.
        (Err(_), Ok(Noted::Origin(origin))) => origin.attempt,
        (Err(_), _) => return Err(not_ours(path, "it has no record")),
    };
    attempts.prove(&directory, path, run, attempt)?;
    let names: Vec<Entry> = directory.dir().entries()?.take(3).collect::<io::Result<_>>()?;
    let is_kept = |entry: &Entry| entry.text() == MADE || (entry.text() == OUTPUT && entry.is_dir);
    if names.iter().all(is_kept) && names.iter().any(|entry| entry.text() == OUTPUT) {
        return Ok(None);
    }
    let shim = directory.shim_record().ok().flatten();
    let written = match &shim {
        Some((record, _)) => record.metadata().and_then(|data| data.modified()).ok(),
        None => directory.dir().modified(),
    };
    Ok(Some(Leftover {
        workspace: shim.and_then(|(_, record)| record.workspace),
        run,
        attempt,
        is_running: directory.is_running(),
        age: written.map(clock::age_of).unwrap_or_default(),
        name: entry.text().to_owned(),
    }))
}
