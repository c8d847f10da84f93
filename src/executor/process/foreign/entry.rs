//! What is in a directory, one entry after the other.

use std::ffi::{CStr, CString};
use std::io;

use rustix::fs::{Dir, DirEntry, FileType};

use super::open::OpenDir;

pub(in super::super) struct Entries<'a> {
    dir: &'a OpenDir,
    listed: Listed,
}

/// The same without a hold on the directory, for whoever holds it anyway.
pub(super) struct Listed(Dir);

pub(in super::super) struct Entry {
    pub name: CString,
    pub is_dir: bool,
}

impl<'a> Entries<'a> {
    pub fn new(dir: &'a OpenDir, entries: Dir) -> Self {
        Self { dir, listed: Listed(entries) }
    }

    pub(super) fn listed(self) -> Listed {
        self.listed
    }
}

impl Iterator for Entries<'_> {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        self.listed.next(self.dir)
    }
}

impl Listed {
    /// The next entry, except the directory itself and the one above.
    pub fn next(&mut self, dir: &OpenDir) -> Option<io::Result<Entry>> {
        loop {
            match self.0.read()? {
                Ok(entry) if is_itself(entry.file_name()) => {}
                Ok(entry) => {
                    return Some(Ok(Entry { is_dir: is_dir(dir, &entry), name: entry.file_name().to_owned() }));
                }
                Err(error) => return Some(Err(error.into())),
            }
        }
    }
}

impl Entry {
    /// Nothing, where the name is not text.
    pub fn text(&self) -> &str {
        self.name.to_str().unwrap_or_default()
    }
}

fn is_itself(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

/// Some file systems do not say so in the list.
fn is_dir(dir: &OpenDir, entry: &DirEntry) -> bool {
    match entry.file_type() {
        FileType::Unknown => dir.kind(entry.file_name()).is_ok_and(|kind| kind == FileType::Directory),
        kind => kind == FileType::Directory,
    }
}
