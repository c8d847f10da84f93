//! Exit records that a loss of power could still take away, of attempts whose outcome the store may not have yet.
//!
//! Most are gone within milliseconds: the worker stores the outcome, which is as good, and deletes the record. To wait for
//! the disk would be in vain then. What is still there a moment later is made to last.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use tokio::time::Instant;

use super::complain;

/// How long the worker has for it.
const MOMENT: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct UnsyncedRecords(Vec<(File, Instant)>);

impl UnsyncedRecords {
    pub fn add(&mut self, record: File, now: Instant) {
        self.sync_due(now);
        self.0.push((record, now + MOMENT));
    }

    /// When there is something to do next.
    pub fn due(&self) -> Option<Instant> {
        self.0.first().map(|(_, due)| *due)
    }

    /// Syncs those that are due.
    pub fn sync_due(&mut self, now: Instant) {
        self.0.retain(|(record, due)| {
            let has_time = now < *due;
            if !has_time {
                sync(record);
            }
            has_time && !is_deleted(record)
        });
    }

    /// Syncs all.
    pub fn sync_all_records(&mut self) {
        self.0.drain(..).for_each(|(record, _)| sync(&record));
    }
}

fn is_deleted(record: &File) -> bool {
    record.metadata().is_ok_and(|data| data.nlink() == 0)
}

/// What fails is not tried again: it would be no better the next time.
fn sync(record: &File) {
    if !is_deleted(record)
        && let Err(error) = record.sync_all()
    {
        complain(format_args!("the exit record may not outlast a loss of power: {error}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_is_not_deleted_in_time_is_made_to_last() {
        let folder = tempfile::tempdir().expect("a folder");
        let [deleted, kept] = ["deleted", "kept"].map(|name| folder.path().join(name));
        let (mut unsynced, now) = (UnsyncedRecords::default(), Instant::now());
        for path in [&deleted, &kept] {
            unsynced.add(File::create(path).expect("a file"), now);
        }
        std::fs::remove_file(deleted).expect("removed");
        unsynced.sync_due(now);
        assert_eq!(unsynced.0.len(), 1, "the other has time left");
        assert_eq!(unsynced.due(), Some(now + MOMENT));
        unsynced.sync_due(now + MOMENT);
        assert_eq!(unsynced.due(), None);
    }
}
