//! The shim: a small process that owns the work of one attempt, so that the work outlives its worker but not its lease.
//!
//! It is a copy of a process that has done nothing yet (`copies`), and for each attempt makes one more copy of itself, which
//! takes on the work's limits and user and becomes the program. The shim looks after that until it has ended and leaves an
//! exit record. Then it is there for the next attempt, if it has a worker (`service`).

mod cleanup;
mod copies;
mod escalation;
mod exec;
mod lines;
mod log;
mod output;
mod service;
mod stop_signals;
mod structured;
mod supervise;
mod unsynced;
mod watch;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use super::directory::{Directory, SHIM_LOG};
use super::zygote::ZYGOTE;

/// The argument that starts the shim.
pub(super) const ARGUMENT: &str = "shim";

/// Does the shim's work if that is what this process was started for: its first argument is `shim`. To be called
/// first thing in `main`, before there are other threads.
pub fn called() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    (args.next()? == ARGUMENT).then(|| main(args))
}

/// Does the shim's work; `args` are those that follow the shim's own. To be called on the main
/// thread, outside of any runtime.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    match args.as_slice() {
        [word] if word == ZYGOTE => copies::serve(),
        _ => {
            eprintln!("error: the shim is started by workers");
            ExitCode::from(2)
        }
    }
}

/// Where complaints go: a file in the directory of the attempt, which is made when there is a first.
static COMPLAINTS: Mutex<Option<Arc<Directory>>> = Mutex::new(None);

fn complain_in(directory: Option<Arc<Directory>>) {
    *COMPLAINTS.lock().unwrap_or_else(PoisonError::into_inner) = directory;
}

/// Where even that cannot be written, there is nobody to tell.
fn complain(words: std::fmt::Arguments<'_>) {
    let directory = COMPLAINTS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(directory) = directory
        && let Ok(mut file) = directory.dir().append(SHIM_LOG)
    {
        let _ = writeln!(file, "{words}");
    }
}
