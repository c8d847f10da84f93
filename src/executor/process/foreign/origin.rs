//! Which directory was made for an attempt, so that another in its place is recognised.

use std::fmt::Display;
use std::io;
use std::path::Path;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::open::Place;
use crate::executor::process::identity::boot_id;
use crate::run::RunId;

/// The directory that was made, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Origin {
    pub run: RunId,
    pub attempt: u32,
    pub place: Place,
    /// Since the machine was started anew, its devices may have other numbers.
    pub boot: String,
}

impl Origin {
    /// Of a directory as it is now.
    pub fn new(run: RunId, attempt: u32, place: Place) -> io::Result<Self> {
        Ok(Self { run, attempt, place, boot: boot_id()?.to_owned() })
    }

    /// Whether this is on record for the directory that is `found`.
    pub fn is(&self, found: &Self) -> bool {
        let is_same_device = self.place.device == found.place.device || self.boot != found.boot;
        let is_same_place = self.place.inode == found.place.inode && is_same_device;
        (self.run, self.attempt) == (found.run, found.attempt) && is_same_place
    }
}

/// Something else is where the directory of an attempt should be.
#[derive(Debug, thiserror::Error)]
#[error("{path} is not the directory that was made there ({why}); it is left alone")]
struct NotOurs {
    path: String,
    why: String,
}

pub(in super::super) fn not_ours(path: &Path, why: impl Display) -> io::Error {
    io::Error::other(NotOurs { path: path.display().to_string(), why: why.to_string() })
}

/// Says so where a directory could not be opened because it is a link, a file or a mount.
pub(in super::super) fn unless_dir(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::LOOP | Errno::NOTDIR) => not_ours(path, "it is a link or a file"),
        Some(Errno::XDEV) => not_ours(path, "another file system is mounted there"),
        Some(Errno::ACCESS) => not_ours(path, "it cannot be looked into"),
        _ => error,
    }
}
