//! Makes shims, as copies of this process. It has one thread and does nothing else, so a copy is as good as a new one.

use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use fork::{Fork, fork};
use rustix::process::{PidfdFlags, Signal, WaitOptions, chdir, kill_process, pidfd_open, setsid, wait};
use rustix::stdio::{dup2_stderr, dup2_stdin, stdin};
use rustix::thread::disable_transparent_huge_pages;

use super::{cleanup, complain, service};
use crate::executor::process::identity::{boot_id, pid};
use crate::executor::process::zygote::{Born, is_asked, tell};

/// Until the worker is gone. A copy goes on from here, too, to be a shim.
pub(super) fn serve() -> ExitCode {
    match make_shims() {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(line)) => match as_shim(line) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                complain(format_args!("the shim failed: {error}"));
                ExitCode::FAILURE
            }
        },
        Err(error) => {
            eprintln!("error: cannot make shims: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns in every copy, with the line over which it hears what to do.
fn make_shims() -> io::Result<Option<UnixStream>> {
    if !cleanup::is_one_thread() {
        return Err(io::Error::other("there are other threads; the shim must be called for before any is started"));
    }
    // Fails for the leader of a group, who was made independent by whoever started it.
    let _ = setsid();
    chdir("/")?;
    // A copy that touches a few pages should not be given two megabytes of them.
    let _ = disable_transparent_huge_pages(true);
    boot_id()?;
    let mut line = UnixStream::from(stdin().try_clone_to_owned()?);
    while is_asked(&mut line, || while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {})? {
        let (own, theirs) = UnixStream::pair()?;
        match fork() {
            Ok(Fork::Child) => return Ok(Some(theirs)),
            Ok(Fork::Parent(number)) => tell(&line, hold(number, own))?,
            Err(error) => tell(&line, Err(error))?,
        }
    }
    Ok(None)
}

/// On a copy that was not reaped yet. One that nobody could follow must not be.
fn hold(number: i32, line: UnixStream) -> io::Result<Born> {
    let number = pid(number)?;
    match pidfd_open(number, PidfdFlags::empty()) {
        Ok(hold) => Ok(Born { hold, line }),
        Err(error) => {
            let _ = kill_process(number, Signal::KILL);
            Err(error.into())
        }
    }
}

fn as_shim(line: UnixStream) -> io::Result<()> {
    // With this the line to the worker of whom this is a copy is closed on this side, for it was closed on returning.
    dup2_stdin(File::open("/dev/null")?)?;
    // Nor does it keep what the worker writes its own log to.
    dup2_stderr(File::options().write(true).open("/dev/null")?)?;
    std::panic::set_hook(Box::new(|panic| complain(format_args!("{panic}"))));
    service::serve(line)
}
