//! Adds up the files below a directory, within bounds.

use super::budget::Budget;
use super::entry::Listed;
use super::open::OpenDir;

/// How many levels are looked through, each of which takes two descriptors.
pub(in super::super) const MOST_LEVELS: usize = 100;

/// What there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Measured {
    /// So many bytes; at least so many if the time was up.
    Bytes(u64),
    /// More entries than the budget has, or more levels.
    TooMuch,
}

struct Level {
    dir: OpenDir,
    entries: Listed,
}

/// The plain files, together. Links count for nothing, wherever they lead, nor does what cannot be read or is mounted there.
pub(in super::super) fn measure(root: OpenDir, budget: &mut Budget) -> Measured {
    let mut bytes: u64 = 0;
    let mut levels = Vec::from_iter(level(root));
    while let Some(mut level) = levels.pop() {
        let Some(Ok(entry)) = level.entries.next(&level.dir) else { continue };
        if !budget.spend() {
            return if budget.is_late() { Measured::Bytes(bytes) } else { Measured::TooMuch };
        }
        let below = match entry.is_dir {
            true => level.dir.dir(&*entry.name).ok().and_then(self::level),
            false => {
                bytes = bytes.saturating_add(level.dir.size(&*entry.name));
                None
            }
        };
        levels.push(level);
        levels.extend(below);
        if levels.len() > MOST_LEVELS {
            return Measured::TooMuch;
        }
    }
    Measured::Bytes(bytes)
}

fn level(dir: OpenDir) -> Option<Level> {
    let entries = dir.entries().ok()?.listed();
    Some(Level { dir, entries })
}
