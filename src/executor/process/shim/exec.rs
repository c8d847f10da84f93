//! The copy of the shim that takes on the work's session, limits and user, and becomes the program.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};

use fork::{Fork, fork};
use rustix::fs::{Access, access};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, chdir, getpid, getppid, getrlimit, set_parent_process_death_signal, setrlimit,
    setsid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::{Gid, Uid, disable_transparent_huge_pages, set_thread_gid, set_thread_groups, set_thread_uid};

use super::complain;
use crate::executor::process::assignment::Assignment;
use crate::executor::process::directory::Directory;
use crate::executor::process::identity::has_nothing;
use crate::executor::process::record::StartError;
use crate::executor::process::task::{ProcessLimits, ProcessTask, ProcessUser};

/// As shells do when there is no such program.
const CANNOT_START: i32 = 127;
/// Between the signal that says that the CPU time is used up and the one that cannot be ignored.
const CPU_GRACE_SECONDS: u64 = 5;

/// The process that will be the program, once it is told to.
pub(super) struct Candidate {
    pub number: i32,
    go: File,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    error: File,
}

/// To be called while there is one thread: only then is a copy of this process as good as a new one.
pub(super) fn prepare(directory: &Directory, assignment: &Assignment) -> io::Result<Candidate> {
    let shim = getpid();
    // Before the copy is made: what it would write itself had to be copied first.
    let mut command = command(assignment)?;
    let input = directory.open_input(assignment.spec.epoch)?;
    let (word, go) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stdout, to_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, to_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    // Closed when the program takes over.
    let (error, to_error) = pipe_with(PipeFlags::CLOEXEC)?;
    match fork()? {
        Fork::Parent(number) => Ok(Candidate { number, go: go.into(), stdout, stderr, error: error.into() }),
        Fork::Child => {
            drop(go);
            let streams = [input.into(), to_stdout, to_stderr];
            let Err(error) = wait_for(word.into(), streams, shim)
                .and_then(|()| attempt(directory, &assignment.spec.task, &mut command, shim));
            let written = serde_json::to_vec(&error).map_err(io::Error::from);
            if let Err(unwritten) = written.and_then(|error| File::from(to_error).write_all(&error)) {
                complain(format_args!("{}, and that cannot be said: {unwritten}", error.message));
            }
            exit(CANNOT_START)
        }
    }
}

impl Candidate {
    /// Answers whether it was there to hear it. Without this, it ends when it is dropped.
    pub fn go(&mut self) -> io::Result<()> {
        self.go.write_all(b"!")
    }

    /// Whether it has not become the program yet, nor failed to.
    pub fn is_waiting(&self) -> bool {
        has_nothing(&self.error)
    }

    /// Why it could not become the program, if so. To be called when it has ended.
    pub fn error(mut self) -> Option<StartError> {
        let mut said = Vec::new();
        self.error.read_to_end(&mut said).ok()?;
        serde_json::from_slice(&said).ok()
    }
}

/// By then it is known who this is, and that there is still a lease.
fn wait_for(mut word: File, streams: [OwnedFd; 3], shim: Pid) -> Result<(), StartError> {
    setsid().map_err(|error| failed("cannot begin a session", error))?;
    die_with(shim)?;
    if word.read_exact(&mut [0]).is_err() {
        // It was not wanted after all.
        exit(CANNOT_START)
    }
    let [stdin, stdout, stderr] = streams;
    dup2_stdin(stdin)
        .and_then(|()| dup2_stdout(stdout))
        .and_then(|()| dup2_stderr(stderr))
        .map_err(|error| failed("cannot take the streams", error))
}

fn attempt(
    directory: &Directory,
    task: &ProcessTask,
    command: &mut Command,
    shim: Pid,
) -> Result<Infallible, StartError> {
    limit(&task.limits)?;
    if let Some(user) = task.user {
        switch_to(user, directory)?;
        // Once more, since another user forgets it.
        die_with(shim)?;
    }
    if let Some(cwd) = &task.cwd {
        chdir(cwd).map_err(|error| failed(&format!("cannot go to {}", cwd.display()), error))?;
    }
    Err(execute(command))
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

/// Whatever becomes of the shim.
fn die_with(shim: Pid) -> Result<(), StartError> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| failed("cannot be tied to the shim", error))?;
    // It may have died before.
    match getppid() == Some(shim) {
        true => Ok(()),
        false => Err(StartError::new("start_failed", "the shim is gone")),
    }
}

fn execute(command: &mut Command) -> StartError {
    // That was for the shim. Last of all, or the first memory that is asked for here would be two megabytes, all to be cleared.
    let _ = disable_transparent_huge_pages(false);
    let error = command.exec();
    let code = if error.kind() == ErrorKind::NotFound { "program_not_found" } else { "start_failed" };
    StartError::new(code, format!("cannot start {}: {error}", command.get_program().display()))
}

fn command(assignment: &Assignment) -> io::Result<Command> {
    let task = &assignment.spec.task;
    let Some((program, args)) = task.command.split_first() else {
        return Err(io::Error::other("the command is empty"));
    };
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(assignment.environment()).envs(&task.env);
    Ok(command)
}

fn failed(what: &str, error: impl Into<io::Error>) -> StartError {
    StartError::new("start_failed", format!("{what}: {}", error.into()))
}
