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
use serde::{Deserialize, Serialize};

/// Says that shims are to be made as a worker asks for them, on standard input.
pub(super) const ZYGOTE: &str = "--zygote";
/// It has nothing else to do, so one that takes longer, on however busy a machine, is not right.
const LONGEST: Duration = Duration::from_secs(30);
/// The length of a request for nothing but a look for the dead.
const NOTHING: [u8; 4] = 0_u32.to_le_bytes();
/// Stands before the hold on a new shim; what begins otherwise is why there is none.
const BORN: u8 = 0;

/// What a shim is made for.
#[derive(Serialize, Deserialize)]
pub(super) struct Start {
    /// The attempt's.
    pub directory: OsString,
    /// What the program gets, beside the fixed values of its task.
    pub variables: Vec<(String, OsString)>,
}

/// Started when it is first needed, and again where it is gone.
#[derive(Debug)]
pub(super) struct Zygote {
    words: Vec<OsString>,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    line: UnixStream,
    child: Child,
}

impl Zygote {
    /// It is called by these words.
    pub fn new(words: Vec<OsString>) -> Self {
        Self { words, running: Mutex::new(None) }
    }

    /// Has a shim made; answers with a hold on it. Blocks. Where it fails, one may have been made all the same.
    pub fn fork(&self, start: &Start) -> io::Result<OwnedFd> {
        let request = serde_json::to_vec(start)?;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(zygote) = running.as_mut()
            && zygote.send(&request).is_err()
        {
            // It was gone before it heard of this.
            *running = None;
        }
        if running.is_none() {
            running.insert(Running::start(&self.words)?).send(&request)?;
        }
        let answer = running.as_mut().map_or(Err(io::ErrorKind::NotConnected.into()), Running::answer);
        answer.map_err(|error| {
            // What comes next on that line would be mistaken for the answer to something else.
            *running = None;
            io::Error::new(error.kind(), format!("no shim could be made: {error}"))
        })?
    }

    /// A shim has ended, and can be forgotten. Never waits: where somebody asks for another just now, or there is no room
    /// for more words, the dead are looked for anyway.
    pub fn reap(&self) {
        if let Ok(mut running) = self.running.try_lock()
            && let Some(zygote) = running.as_mut()
        {
            let _ = send(&zygote.line, &NOTHING, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
        }
    }
}

impl Running {
    fn start(words: &[OsString]) -> io::Result<Self> {
        let (program, args) = words.split_first().ok_or_else(|| io::Error::other("no shim is named"))?;
        let (line, theirs) = UnixStream::pair()?;
        line.set_read_timeout(Some(LONGEST))?;
        line.set_write_timeout(Some(LONGEST))?;
        let mut command = Command::new(program);
        command.args(args).arg(ZYGOTE).env_clear();
        let child = command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("cannot start the shim {}: {error}", program.display()))
        })?;
        Ok(Self { line, child })
    }

    fn send(&mut self, request: &[u8]) -> io::Result<()> {
        let length = u32::try_from(request.len()).map_err(io::Error::other)?;
        self.line.write_all(&[&length.to_le_bytes(), request].concat())
    }

    /// A hold on the shim, or why there is none; an error of its own if nobody answers.
    fn answer(&mut self) -> io::Result<io::Result<OwnedFd>> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut holds = RecvAncillaryBuffer::new(&mut space);
        let mut words = [0; 512];
        let mut into = [IoSliceMut::new(&mut words)];
        let answer = retry_on_intr(|| recvmsg(&self.line, &mut into, &mut holds, RecvFlags::CMSG_CLOEXEC))?;
        let count = answer.bytes;
        let held = holds.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut holds) => holds.next(),
            _ => None,
        });
        match (&words[..count], held) {
            ([BORN], Some(hold)) => Ok(Ok(hold)),
            ([], _) => Err(io::Error::other("the process that makes them is gone")),
            ([BORN], None) => Err(io::Error::other("there was no room for a hold on it")),
            (why, _) => Ok(Err(io::Error::other(String::from_utf8_lossy(why).into_owned()))),
        }
    }
}

/// It would end by itself, but then somebody has to take note.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other end of the line: what is asked for next. There is nothing more where the worker is gone.
pub(super) fn next(line: &mut UnixStream) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match line.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut request = vec![0; u32::from_le_bytes(length) as usize];
    line.read_exact(&mut request)?;
    Ok(Some(request))
}

/// The answer to it.
pub(super) fn tell(line: &UnixStream, born: io::Result<OwnedFd>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut holds = SendAncillaryBuffer::new(&mut space);
    match born {
        Ok(hold) => {
            let hold = [hold.as_fd()];
            holds.push(SendAncillaryMessage::ScmRights(&hold));
            sendmsg(line, &[IoSlice::new(&[BORN])], &mut holds, SendFlags::NOSIGNAL)?;
        }
        Err(error) => {
            sendmsg(line, &[IoSlice::new(error.to_string().as_bytes())], &mut holds, SendFlags::NOSIGNAL)?;
        }
    }
    Ok(())
}
