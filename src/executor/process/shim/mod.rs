//! The shim: a small process that owns the work of one attempt, so that the work outlives its worker but not its lease.
//!
//! It is called in two stages, both with the attempt's directory: the first looks after the work until it has ended and
//! leaves an exit record; the second is started by the first, takes on the work's limits and user and becomes the
//! program.

mod cleanup;
mod escalation;
mod exec;
mod lines;
mod log;
mod output;
mod structured;
mod supervise;
mod told;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::directory::Directory;

/// The word by which the shim is asked for.
pub(super) const WORD: &str = "shim";
/// Says that the second stage is meant.
const EXEC: &str = "--exec";

/// Does the shim's work if that is what this process was started for: its first argument is `shim`. To be called
/// first thing in `main`, before there are other threads.
pub fn called() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    (args.next()? == WORD).then(|| main(args))
}

/// Does the shim's work; `args` are what follows the words by which the shim is asked for. To be called on the main
/// thread, outside of any runtime.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    match args.as_slice() {
        [directory] => supervise(directory.into()),
        [word, directory] if word == EXEC => exec::become_program(&Directory::new(directory.into())),
        _ => {
            eprintln!("error: the shim is started by workers, with the directory of an attempt");
            ExitCode::from(2)
        }
    }
}

fn supervise(directory: PathBuf) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime.and_then(|runtime| {
        let done = runtime.block_on(supervise::supervise(&Directory::new(directory)));
        // Not waiting for a walk through the output directory that nobody wants any more.
        runtime.shutdown_background();
        done
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format_args!("the shim failed: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Standard error is the file `shim.log`; where even that cannot be written, there is nobody to tell.
fn complain(words: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{words}");
}
