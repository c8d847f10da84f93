//! Notices that a lease was written. A hint only: whoever waits looks every second anyway.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init, remove_watch};
use tokio::net::unix::pipe::Receiver;

use crate::executor::process::directory::Directory;

/// Not a pipe, but read like one. Where the system has no watch to give, nothing is ever noticed.
pub(super) struct Watch(Option<Receiver>);

/// A directory being watched, until this is dropped.
pub(super) struct Watched {
    fd: OwnedFd,
    number: i32,
}

impl Watch {
    pub fn new() -> Self {
        let fd = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok();
        Self(fd.and_then(|fd| Receiver::from_owned_fd_unchecked(fd).ok()))
    }

    /// From here on, files that are put into the directory are noticed.
    pub fn on(&self, directory: &Directory) -> Option<Watched> {
        let fd = self.0.as_ref()?.as_fd().try_clone_to_owned().ok()?;
        let number = add_watch(&fd, directory.dir().magic_path(), WatchFlags::MOVED_TO).ok()?;
        Some(Watched { fd, number })
    }

    /// Waits until a file was put into the directory.
    pub async fn changed(&self) {
        let Some(watch) = &self.0 else { return std::future::pending().await };
        let mut noticed = false;
        while !noticed {
            if watch.readable().await.is_err() {
                return std::future::pending().await;
            }
            // What they say does not matter, only that there are none left.
            let mut events = [0; 4096];
            while let Ok(1..) = watch.try_read(&mut events) {
                noticed = true;
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // Where the directory is gone, so is the watch.
        let _ = remove_watch(&self.fd, self.number);
        // That it has ended is an event, too, which would be taken for one of the next directory.
        while let Ok(1..) = rustix::io::read(&self.fd, &mut [0; 4096]) {}
    }
}
