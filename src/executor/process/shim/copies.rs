//! Makes shims, as copies of this process. It has one thread and does nothing else, so a copy is as good as a new one.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use fork::{Fork, fork};
use rustix::process::{PidfdFlags, Signal, WaitOptions, chdir, kill_process, pidfd_open, setsid, wait};
use rustix::stdio::{dup2_stderr, dup2_stdin, stdin};
use rustix::thread::disable_transparent_huge_pages;

use super::{complain, supervise};
use crate::executor::process::directory::{Directory, create_new};
use crate::executor::process::identity::pid;
use crate::executor::process::zygote::{Start, next, tell};

/// Until the worker is gone. A copy goes on from here, too, to be a shim.
pub(super) fn serve() -> ExitCode {
    match make_shims() {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(start)) => match as_shim(&start) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                complain(format_args!("the shim failed: {error}"));
                ExitCode::FAILURE
            }
        },
        Err(error) => {
            complain(format_args!("error: cannot make shims: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Returns in every copy, with what it is made for.
fn make_shims() -> io::Result<Option<Start>> {
    if fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("there are other threads; the shim must be called for before any is started"));
    }
    // Fails for the leader of a group, who was made independent by whoever started it.
    let _ = setsid();
    chdir("/")?;
    // A copy that touches a few pages should not be given two megabytes of them.
    let _ = disable_transparent_huge_pages(true);
    let mut line = UnixStream::from(stdin().try_clone_to_owned()?);
    while let Some(request) = next(&mut line)? {
        if !request.is_empty() {
            let start = serde_json::from_slice(&request)?;
            match fork() {
                Ok(Fork::Child) => return Ok(Some(start)),
                Ok(Fork::Parent(number)) => tell(&line, hold(number))?,
                Err(error) => tell(&line, Err(error))?,
            }
        }
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    }
    Ok(None)
}

/// On a copy that was not reaped yet. One that nobody could follow must not be.
fn hold(number: i32) -> io::Result<OwnedFd> {
    let number = pid(number)?;
    pidfd_open(number, PidfdFlags::empty()).map_err(|error| {
        let _ = kill_process(number, Signal::KILL);
        error.into()
    })
}

fn as_shim(start: &Start) -> io::Result<()> {
    let directory = Directory::new(start.directory.clone().into());
    // With this the line is closed on this side, for it was closed on returning.
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stderr(create_new(&directory.shim_log())?)?;
    supervise::supervise(&directory, &start.variables)
}
