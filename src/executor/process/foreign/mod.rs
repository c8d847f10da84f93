//! Files that a program could have touched. Nothing else opens, lists, reads, measures or deletes what lies below `attempts/`.
//!
//! A program may run as the worker's own user, so it can rename its directory, put a link, a pipe or another directory in
//! its place, and do the same one level up, at any moment. The worker must never delete, change or read what is behind such
//! a trick: it may be root, and the program another user. The rules:
//!
//! 1. **By handle.** A directory is opened once and used by its handle; what is in it is named relative to that handle, one
//!    name at a time. A path is for people and programs only.
//! 2. **No links.** Nothing is opened through a link, at any level below `attempts/`. To remove a link removes the link.
//! 3. **The directory that was made.** Device and inode are noted when an attempt's directory is made (`origin`), in memory and in
//!    the shim's record. A directory that is another is left alone, with a warning that names it.
//! 4. **One file system.** Other mounts, bind mounts included, are not entered: neither measured nor emptied.
//! 5. **Plain files.** A file is opened without waiting for anybody (a pipe has no writer) and read only if it is a plain one, up
//!    to a limit. One with several names counts only if it belongs to the program's user: anybody may link to a file of others.
//! 6. **Bounds.** Measuring ends after so many entries and levels and so much time, removing after so many entries and so much time;
//!    what is left is removed by a later pass. Neither needs more stack or descriptors for a deeper tree.
//! 7. **Making.** New files are made, existing ones never opened for writing, except the shim's complaints, if the file has one
//!    name. Owners and modes are changed by handle, of directories that were just made.
//!
//! What a program does to files of others with its own rights, such as moving a directory into its own, is its own deed.

mod budget;
mod entry;
mod measure;
mod open;
mod origin;
mod remove;

pub(super) use budget::Budget;
pub(super) use entry::Entry;
pub(super) use measure::{MOST_LEVELS, Measured, measure};
pub(super) use open::{OpenDir, Place, give_file_to};
pub(super) use origin::{Origin, not_ours, unless_dir};
pub use remove::Emptied;
pub(super) use remove::empty;

#[cfg(test)]
mod tests;
