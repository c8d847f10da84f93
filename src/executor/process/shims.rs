//! The shims of this worker: one that is free takes the next attempt, another is made where none is.

use std::ffi::OsString;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep};

use super::assignment::{Assignment, FREE};
use super::identity::Handle;
use super::zygote::Zygote;

/// How long one that is free is kept.
const IDLE: Duration = Duration::from_secs(10);

/// There are never more than attempts were under way at once, since none is made while another is free.
#[derive(Debug)]
pub(super) struct Shims {
    zygote: Arc<Zygote>,
    free: Mutex<Free>,
}

#[derive(Debug, Default)]
struct Free {
    /// The latest last, and since when.
    shims: Vec<(Shim, Instant)>,
    is_swept: bool,
}

/// A shim that works for this worker. Without the line it ends, when it has seen its attempt through.
#[derive(Debug)]
pub(super) struct Shim {
    hold: Handle,
    line: UnixStream,
}

impl Shims {
    /// Shims that are made by a process of this program, started with these arguments.
    pub fn new(args: Vec<OsString>) -> Arc<Self> {
        Arc::new(Self { zygote: Arc::new(Zygote::new(args)), free: Mutex::default() })
    }

    /// Has a shim begin the attempt. Where it fails, one may have heard of it all the same.
    pub async fn assign(&self, assignment: &Assignment) -> io::Result<Shim> {
        let message = assignment.to_message()?;
        while let Some(mut shim) = self.take() {
            // One that has died since has not heard the end of it, so another can begin.
            if shim.hold.is_alive() && shim.line.write_all(&message).await.is_ok() {
                return Ok(shim);
            }
        }
        let mut shim = self.make().await?;
        shim.line.write_all(&message).await?;
        Ok(shim)
    }

    /// One that has said that it is free.
    pub fn put(self: &Arc<Self>, shim: Shim) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.shims.push((shim, Instant::now()));
        if !std::mem::replace(&mut free.is_swept, true) {
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// The one that was at work last, so that those too many are never asked, and go.
    fn take(&self) -> Option<Shim> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).shims.pop().map(|(shim, _)| shim)
    }

    async fn make(&self) -> io::Result<Shim> {
        let asked = Arc::clone(&self.zygote);
        let born = tokio::task::spawn_blocking(move || asked.fork()).await.map_err(io::Error::other)??;
        let ended = Handle::new(born.hold.try_clone()?)?;
        let zygote = Arc::clone(&self.zygote);
        // By a task of its own: whoever follows the work may leave it before it ends.
        tokio::spawn(async move {
            ended.ended().await;
            zygote.reap();
        });
        born.line.set_nonblocking(true)?;
        Ok(Shim { hold: Handle::new(born.hold)?, line: UnixStream::from_std(born.line)? })
    }

    /// Lets those go that have been free for long; answers whether any is left.
    fn let_go(&self) -> bool {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.shims.retain(|(shim, since)| since.elapsed() < IDLE && shim.hold.is_alive());
        free.is_swept = !free.shims.is_empty();
        free.is_swept
    }
}

impl Shim {
    /// Waits until it has ended its attempt; answers whether it is there for another.
    pub async fn ended(&mut self) -> bool {
        let mut said = [0];
        tokio::select! {
            read = self.line.read(&mut said) => if matches!(read, Ok(1)) && said == [FREE] { return true },
            () = self.hold.ended() => {}
        }
        self.hold.ended().await;
        false
    }
}

/// Until none is free. It is the worker that lets them go: a shim that went by itself might be given an attempt just then.
async fn sweep(shims: Weak<Shims>) {
    loop {
        sleep(IDLE / 2).await;
        match shims.upgrade() {
            Some(shims) if shims.let_go() => {}
            _ => return,
        }
    }
}
