//! The process that shims are forked from. Starting this whole program anew takes a machine longer than most work does;
//! a copy of one that has done nothing yet takes a fraction of that.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, send, sendmsg,
};

/// Says that shims are to be made as a worker asks for them, on standard input.
pub(super) const ZYGOTE: &str = "--zygote";
/// It has nothing else to do, so one that takes longer, on however busy a machine, is not right.
const LONGEST: Duration = Duration::from_secs(30);
/// Asks for a shim.
const MAKE: [u8; 4] = *b"make";
/// Asks for nothing but a look for the dead.
const REAP: [u8; 4] = *b"reap";
/// Stands before what comes with a new shim; what begins otherwise is why there is none.
const BORN: u8 = 0;

/// A new shim.
pub(super) struct Born {
    /// A hold on it.
    pub hold: OwnedFd,
    /// Where it hears what to do.
    pub line: UnixStream,
}

/// Started when it is first needed, and again where it is gone.
#[derive(Debug)]
pub(super) struct Zygote {
    args: Vec<OsString>,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    line: UnixStream,
    child: Child,
}

impl Zygote {
    /// Started with these arguments.
    pub fn new(args: Vec<OsString>) -> Self {
        Self { args, running: Mutex::new(None) }
    }

    /// Has a shim made. Blocks.
    pub fn fork(&self) -> io::Result<Born> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(zygote) = running.as_mut()
            && zygote.line.write_all(&MAKE).is_err()
        {
            // It was gone before it heard of this.
            *running = None;
        }
        if running.is_none() {
            running.insert(Running::start(&self.args)?).line.write_all(&MAKE)?;
        }
        let answer = running.as_mut().map_or(Err(io::ErrorKind::NotConnected.into()), Running::answer);
        answer.map_err(|error| {
            // What comes next on that line would be mistaken for the answer to something else.
            *running = None;
            io::Error::new(error.kind(), format!("no shim could be made: {error}"))
        })?
    }

    /// A shim has ended, and can be forgotten. Never waits: where somebody asks for another just now, or there is no room
    /// in the socket, the dead are looked for anyway.
    pub fn reap(&self) {
        if let Ok(mut running) = self.running.try_lock()
            && let Some(zygote) = running.as_mut()
        {
            let _ = send(&zygote.line, &REAP, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
        }
    }
}

impl Running {
    fn start(args: &[OsString]) -> io::Result<Self> {
        let (program, args) = args.split_first().ok_or_else(|| io::Error::other("no shim is named"))?;
        let (line, theirs) = UnixStream::pair()?;
        line.set_read_timeout(Some(LONGEST))?;
        line.set_write_timeout(Some(LONGEST))?;
        let mut command = Command::new(program);
        command.args(args).arg(ZYGOTE).env_clear();
        // Or the first memory it asks for is two megabytes at a time, which every copy of it then goes through. Programs get them
        // all the same: the last copy before takes it back.
        command.env("MIMALLOC_ALLOW_THP", "0");
        let child = command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("cannot start the shim {}: {error}", program.display()))
        })?;
        Ok(Self { line, child })
    }

    /// The shim, or why there is none; an error of its own if nobody answers.
    fn answer(&mut self) -> io::Result<io::Result<Born>> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut holds = RecvAncillaryBuffer::new(&mut space);
        let mut args = [0; 512];
        let mut into = [IoSliceMut::new(&mut args)];
        let answer = retry_on_intr(|| recvmsg(&self.line, &mut into, &mut holds, RecvFlags::CMSG_CLOEXEC))?;
        let count = answer.bytes;
        let held: Vec<OwnedFd> = holds.drain().filter_map(rights).flatten().collect();
        match (&args[..count], <[OwnedFd; 2]>::try_from(held)) {
            ([BORN], Ok([hold, line])) => Ok(Ok(Born { hold, line: line.into() })),
            ([], _) => Err(io::Error::other("the process that makes them is gone")),
            ([BORN], Err(_)) => Err(io::Error::other("there was no room for a hold on it")),
            (why, _) => Ok(Err(io::Error::other(String::from_utf8_lossy(why).into_owned()))),
        }
    }
}

fn rights<'a>(message: RecvAncillaryMessage<'a>) -> Option<rustix::net::AncillaryIter<'a, OwnedFd>> {
    match message {
        RecvAncillaryMessage::ScmRights(held) => Some(held),
        _ => None,
    }
}

/// It would end by itself, but then somebody has to take note.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other end of the line: waits until a shim is asked for, seeing to the dead meanwhile. None is any more where the
/// worker is gone.
pub(super) fn is_asked(line: &mut UnixStream, reap: impl Fn()) -> io::Result<bool> {
    let mut word = [0; 4];
    loop {
        match line.read_exact(&mut word) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            read => read?,
        }
        reap();
        if word == MAKE {
            return Ok(true);
        }
    }
}

/// The answer to it.
pub(super) fn tell(line: &UnixStream, born: io::Result<Born>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut holds = SendAncillaryBuffer::new(&mut space);
    match born {
        Ok(born) => {
            let held = [born.hold.as_fd(), born.line.as_fd()];
            holds.push(SendAncillaryMessage::ScmRights(&held));
            sendmsg(line, &[IoSlice::new(&[BORN])], &mut holds, SendFlags::NOSIGNAL)?;
        }
        Err(error) => {
            sendmsg(line, &[IoSlice::new(error.to_string().as_bytes())], &mut holds, SendFlags::NOSIGNAL)?;
        }
    }
    Ok(())
}
