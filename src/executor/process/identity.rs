//! Which process is meant: its number, when it was started and on which boot. A number alone is used again.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::OnceLock;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use tokio::net::unix::pipe::Receiver;

/// A process, for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    pub pid: i32,
    /// In clock ticks since boot.
    start: u64,
    boot: String,
}

/// What the system says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub pid: i32,
    pub state: char,
    pub parent: i32,
    pub session: i32,
    pub start: u64,
}

/// A hold on a process that is alive, or was when it was taken. Not a pipe, but waited for like one, which is all that is
/// done with it, and takes no unsafe code.
#[derive(Debug)]
pub(super) struct Handle(Receiver);

impl Identity {
    /// Of a process that is there.
    pub fn of(pid: i32) -> io::Result<Self> {
        let stat = Stat::of(pid).ok_or_else(|| io::Error::other(format!("process {pid} is gone")))?;
        Ok(Self { pid, start: stat.start, boot: boot_id()?.to_owned() })
    }

    pub fn is_alive(&self) -> bool {
        let same_boot = boot_id().is_ok_and(|boot| boot == self.boot);
        same_boot && Stat::of(self.pid).is_some_and(|stat| stat.start == self.start && !stat.is_dead())
    }

    /// A hold on the process, if it is alive. The hold comes first: what is looked at afterwards cannot be another's.
    pub fn hold(&self) -> io::Result<Option<Handle>> {
        let Some(fd) = open(self.pid)? else { return Ok(None) };
        if !self.is_alive() {
            return Ok(None);
        }
        Handle::new(fd).map(Some)
    }
}

impl Handle {
    /// On a process that its parent, this one, has not reaped.
    pub fn of_child(pid: i32) -> io::Result<Self> {
        let fd = open(pid)?.ok_or_else(|| io::Error::other(format!("process {pid} is gone")))?;
        Self::new(fd)
    }

    pub fn new(fd: OwnedFd) -> io::Result<Self> {
        Receiver::from_owned_fd_unchecked(fd).map(Self)
    }

    /// Waits until it has ended, whether or not it was reaped.
    pub async fn ended(&self) {
        // Stays readable, so nothing is to be cleared; an error could only say that there is nothing to wait for.
        let _ = self.0.readable().await;
    }

    /// Whether it has not ended yet.
    pub fn is_alive(&self) -> bool {
        has_nothing(&self.0)
    }
}

impl Stat {
    /// Of a process, if it is there.
    pub fn of(pid: i32) -> Option<Self> {
        // More than any has to say, so that it is asked once; the name of the program may be anything.
        let mut text = [0; 1024];
        let count = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut text).ok()?;
        Self::parse(pid, &String::from_utf8_lossy(&text[..count]))
    }

    fn parse(pid: i32, text: &str) -> Option<Self> {
        // The name of the program is in brackets, and may itself have brackets and spaces.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        Some(Self {
            pid,
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            start: fields.get(19)?.parse().ok()?,
        })
    }

    /// Every process there is.
    pub fn all() -> Vec<Self> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.filter_map(Self::of).collect()
    }

    /// Ended; perhaps still to be reaped.
    pub fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// Kills this very process.
    pub fn kill(&self) {
        if let Ok(Some(fd)) = open(self.pid)
            && Self::of(self.pid).is_some_and(|now| now.start == self.start)
        {
            // It may have ended meanwhile, which is as good.
            let _ = pidfd_send_signal(fd, Signal::KILL);
        }
    }
}

/// Whether there is nothing to be read of it, its end included.
pub(super) fn has_nothing(fd: &impl AsFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&now)).is_ok_and(|ready| ready == 0)
}

/// The number as the system calls take it.
pub(super) fn pid(number: i32) -> io::Result<Pid> {
    Pid::from_raw(number).ok_or_else(|| io::Error::other("0 is no process"))
}

fn open(number: i32) -> io::Result<Option<OwnedFd>> {
    match pidfd_open(pid(number)?, PidfdFlags::empty()) {
        Ok(fd) => Ok(Some(fd)),
        Err(rustix::io::Errno::SRCH) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Read once; copies of this process have it from there.
pub(super) fn boot_id() -> io::Result<&'static str> {
    static BOOT: OnceLock<String> = OnceLock::new();
    if let Some(boot) = BOOT.get() {
        return Ok(boot);
    }
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    Ok(BOOT.get_or_init(|| boot.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_mislead() {
        let text = "42 (a) b (c) S 7 42 41 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 9876 0 0";
        let stat = Stat::parse(42, text).expect("parsed");
        assert_eq!((stat.state, stat.parent, stat.session, stat.start), ('S', 7, 41, 9876));
    }

    /// As when the system cuts it within a character.
    #[test]
    fn a_name_that_is_no_text_does_not_make_a_process_go_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join(std::ffi::OsStr::from_bytes(b"f\xc3"));
        std::os::unix::fs::symlink("/bin/sleep", &program).expect("linked");
        let mut child = std::process::Command::new(&program).arg("60").spawn().expect("started");
        let stat = Stat::of(child.id() as i32);
        child.kill().and_then(|()| child.wait()).expect("ended");
        assert_eq!(stat.map(|stat| stat.parent), Some(std::process::id() as i32));
    }

    #[test]
    fn a_number_that_another_process_has_now_is_not_the_process() {
        let me = Identity::of(std::process::id() as i32).expect("me");
        assert!(me.is_alive());
        assert!(!Identity { start: me.start + 1, ..me.clone() }.is_alive());
        assert!(!Identity { boot: "another".into(), ..me }.is_alive());
    }
}
