//! Empties a directory, however deep or large it is, without following it anywhere.
//!
//! A tree is walked with a fixed number of directories open. What lies deeper is moved up to the top first, and is then a
//! tree like any other there; so is what an earlier pass left when its budget was used up.

use std::ffi::{CStr, CString};
use std::io::{self, ErrorKind};

use rustix::io::Errno;

use super::budget::Budget;
use super::entry::{Entry, Listed};
use super::open::OpenDir;

/// How many directories are open at a time, each twice.
const LEVELS: usize = 16;
/// How many names are tried for what is moved up.
const NAMES: u32 = 64;

/// How far a removal got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptied {
    /// All is gone.
    All,
    /// The budget is used up. To be done again.
    Partly,
}

/// Removes all entries but those to be kept. What cannot be removed does not keep the rest; the first reason is answered.
pub(in super::super) fn empty(
    top: &OpenDir,
    is_kept: impl Fn(&Entry) -> bool,
    budget: &mut Budget,
) -> io::Result<Emptied> {
    let mut remover = Remover { top, budget, removed: 0, moved: 0, failure: None };
    loop {
        let before = remover.removed + remover.moved;
        let (moved, kept_failure) = (remover.moved, remover.failure.take());
        if remover.round(&is_kept)? == Emptied::Partly {
            return Ok(Emptied::Partly);
        }
        let is_done = remover.failure.is_none() && remover.moved == moved;
        if is_done {
            return Ok(Emptied::All);
        }
        if remover.removed + remover.moved == before {
            return Err(remover.failure.or(kept_failure).unwrap_or_else(|| ErrorKind::DirectoryNotEmpty.into()));
        }
    }
}

struct Remover<'a> {
    top: &'a OpenDir,
    budget: &'a mut Budget,
    removed: u64,
    moved: u64,
    failure: Option<io::Error>,
}

struct Level {
    /// In the level above.
    name: CString,
    dir: OpenDir,
    entries: Listed,
}

impl Remover<'_> {
    fn round(&mut self, is_kept: &impl Fn(&Entry) -> bool) -> io::Result<Emptied> {
        for entry in self.top.entries()? {
            let entry = entry?;
            if is_kept(&entry) {
                continue;
            }
            if !self.budget.spend() {
                return Ok(Emptied::Partly);
            }
            let top = self.top;
            match entry.is_dir {
                true if self.tree(&entry.name) == Emptied::Partly => return Ok(Emptied::Partly),
                true => {}
                false => {
                    let removed = top.remove_file(&*entry.name);
                    self.note(removed);
                }
            }
        }
        Ok(Emptied::All)
    }

    /// A directory at the top, with all that is in it.
    fn tree(&mut self, name: &CStr) -> Emptied {
        let top = self.top;
        let mut levels = Vec::new();
        self.enter(top, name, &mut levels);
        while let Some(mut level) = levels.pop() {
            if !self.budget.spend() {
                return Emptied::Partly;
            }
            match level.entries.next(&level.dir) {
                Some(Ok(entry)) if !entry.is_dir => {
                    let removed = level.dir.remove_file(&*entry.name);
                    self.note(removed);
                }
                Some(Ok(entry)) if levels.len() + 1 < LEVELS => {
                    let mut below = Vec::new();
                    self.enter(&level.dir, &entry.name, &mut below);
                    levels.push(level);
                    levels.append(&mut below);
                    continue;
                }
                Some(Ok(entry)) => self.move_up(&level.dir, &entry.name),
                Some(Err(error)) => self.note(Err(error)),
                None => {
                    let above = levels.last().map_or(top, |above: &Level| &above.dir);
                    let removed = above.remove_dir(&*level.name);
                    self.note(removed);
                    continue;
                }
            }
            levels.push(level);
        }
        Emptied::All
    }

    /// Removes a directory that is empty, or opens it to be emptied.
    fn enter(&mut self, dir: &OpenDir, name: &CStr, levels: &mut Vec<Level>) {
        match dir.remove_dir(name) {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {}
            removed => return self.note(removed),
        }
        let opened = dir.dir_to_remove(name).and_then(|dir| {
            let entries = dir.entries()?.listed();
            Ok(Level { name: name.to_owned(), dir, entries })
        });
        match opened {
            Ok(level) => levels.push(level),
            Err(error) => self.note(Err(error)),
        }
    }

    fn move_up(&mut self, from: &OpenDir, name: &CStr) {
        let mut moved = Err(ErrorKind::DirectoryNotEmpty.into());
        for number in 0..NAMES {
            moved = from.rename(name, self.top, format!(".deep.{}", self.moved + u64::from(number)));
            if !moved.as_ref().is_err_and(is_taken) {
                break;
            }
        }
        match moved {
            Ok(()) => self.moved += 1,
            Err(error) => self.note(Err(error)),
        }
    }

    fn note(&mut self, removed: io::Result<()>) {
        match removed {
            Ok(()) => self.removed += 1,
            // Somebody else was quicker.
            Err(error) if error.kind() == ErrorKind::NotFound => self.removed += 1,
            Err(error) => self.failure = self.failure.take().or(Some(error)),
        }
    }
}

fn is_taken(error: &io::Error) -> bool {
    let taken = [Errno::NOTEMPTY, Errno::EXIST, Errno::NOTDIR];
    taken.iter().any(|taken| error.raw_os_error() == Some(taken.raw_os_error()))
}
