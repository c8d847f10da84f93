//! The second stage: takes on the work's session, limits and user, and becomes the program.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::fs::{Access, access};
use rustix::process::{
    Resource, Rlimit, Signal, chdir, getppid, getrlimit, set_parent_process_death_signal, setrlimit, setsid,
};
use rustix::thread::{Gid, Uid, set_thread_gid, set_thread_groups, set_thread_uid};

use crate::executor::process::directory::{Directory, SHIM, SPEC, create_new};
use crate::executor::process::record::{Shim, Spec, StartError};
use crate::executor::process::task::{ProcessLimits, ProcessTask, ProcessUser};

/// As shells do when there is no such program.
const CANNOT_START: u8 = 127;
/// Between the signal that says that the CPU time is used up and the one that cannot be ignored.
const CPU_GRACE_SECONDS: u64 = 5;

/// Returns only where it fails.
pub(super) fn become_program(directory: &Directory) -> ExitCode {
    // Opened while that is still permitted; closed when the program takes over.
    let report = create_new(&directory.start_error());
    let error = match attempt(directory) {
        Ok(never) => match never {},
        Err(error) => error,
    };
    if let Err(unwritten) = report.and_then(|file| write(file, &error)) {
        eprintln!("{}, and that cannot be recorded: {unwritten}", error.message);
    }
    ExitCode::from(CANNOT_START)
}

fn write(mut file: File, error: &StartError) -> io::Result<()> {
    file.write_all(&serde_json::to_vec(error)?)
}

fn attempt(directory: &Directory) -> Result<std::convert::Infallible, StartError> {
    setsid().map_err(|error| failed("cannot begin a session", error))?;
    let spec: Option<Spec> = directory.read(SPEC).map_err(|error| failed("cannot read what to do", error))?;
    let task = spec.ok_or_else(|| StartError::new("start_failed", "nothing says what to do"))?.task;
    let shim: Option<Shim> = directory.read(SHIM).map_err(|error| failed("cannot read whose work it is", error))?;
    limit(&task.limits)?;
    if let Some(user) = task.user {
        switch_to(user, directory)?;
    }
    die_with(shim)?;
    if let Some(cwd) = &task.cwd {
        chdir(cwd).map_err(|error| failed(&format!("cannot go to {}", cwd.display()), error))?;
    }
    Err(execute(&task))
}

fn limit(limits: &ProcessLimits) -> Result<(), StartError> {
    let wanted = [
        (Resource::Cpu, "cpu_seconds", limits.cpu_seconds),
        (Resource::As, "memory_bytes", limits.memory_bytes),
        (Resource::Nofile, "open_files", limits.open_files),
        (Resource::Nproc, "processes", limits.processes),
        (Resource::Fsize, "file_bytes", limits.file_bytes),
    ];
    for (resource, name, limit) in wanted {
        let Some(limit) = limit else { continue };
        let grace = if resource == Resource::Cpu { CPU_GRACE_SECONDS } else { 0 };
        // A limit that the system already has stricter stays.
        let strictest = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let new =
            Rlimit { current: Some(limit.min(strictest)), maximum: Some(limit.saturating_add(grace).min(strictest)) };
        setrlimit(resource, new).map_err(|error| failed(&format!("cannot limit {name} to {limit}"), error))?;
    }
    Ok(())
}

/// This is the only thread, so what holds for it holds for the program.
fn switch_to(user: ProcessUser, directory: &Directory) -> Result<(), StartError> {
    let ProcessUser { uid, gid } = user;
    let refused = |error| failed(&format!("cannot become user {uid}, group {gid}"), error);
    set_thread_groups(&[]).map_err(refused)?;
    set_thread_gid(Gid::from_raw(gid)).map_err(refused)?;
    set_thread_uid(Uid::from_raw(uid)).map_err(refused)?;
    let output = directory.output();
    access(&output, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| {
        let hint = "every directory above it must let others pass (mode 0711)";
        failed(&format!("user {uid} cannot get to {}; {hint}", output.display()), error)
    })
}

/// After the user was changed, since that forgets the signal.
fn die_with(shim: Option<Shim>) -> Result<(), StartError> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| failed("cannot be tied to the shim", error))?;
    // It may have died before.
    let parent = getppid().map_or(0, |parent| parent.as_raw_nonzero().get());
    match shim.is_some_and(|record| record.shim.pid == parent) {
        true => Ok(()),
        false => Err(StartError::new("start_failed", "the shim is gone")),
    }
}

fn execute(task: &ProcessTask) -> StartError {
    let Some((program, args)) = task.command.split_first() else {
        return StartError::new("start_failed", "the command is empty");
    };
    let error = Command::new(program).args(args).envs(&task.env).exec();
    let code = if error.kind() == ErrorKind::NotFound { "program_not_found" } else { "start_failed" };
    StartError::new(code, format!("cannot start {program}: {error}"))
}

fn failed(what: &str, error: impl Into<io::Error>) -> StartError {
    StartError::new("start_failed", format!("{what}: {}", error.into()))
}
