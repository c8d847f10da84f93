//! Notices that a lease was written. A hint only: whoever waits looks every second anyway.

use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
use tokio::net::unix::pipe::Receiver;

use crate::executor::process::directory::Directory;

/// Not a pipe, but read like one. Where the system has no watch to give, nothing is ever noticed.
pub(super) struct Watch(Option<Receiver>);

impl Watch {
    pub fn new(directory: &Directory) -> Self {
        let fd = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok();
        let fd = fd.filter(|fd| add_watch(fd, directory.path(), WatchFlags::MOVED_TO).is_ok());
        Self(fd.and_then(|fd| Receiver::from_owned_fd_unchecked(fd).ok()))
    }

    /// Waits until a file was put into the directory.
    pub async fn changed(&self) {
        let Some(watch) = &self.0 else { return std::future::pending().await };
        if watch.readable().await.is_err() {
            return std::future::pending().await;
        }
        // What they say does not matter, only that there are none left.
        let mut events = [0; 4096];
        while watch.try_read(&mut events).is_ok_and(|count| count > 0) {}
    }
}
