//! Ends what is still running of an attempt whose shim is gone, or does not do it.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::directory::{Directory, OUTPUT};
use super::identity::{Identity, Stat};
use super::lease::Lease;
use crate::clock;

/// How much longer than the grace a shim may take to end.
pub(super) const SHIM_WAIT: Duration = Duration::from_secs(5);
/// How long killed processes may take to go away.
const KILL_WAIT: Duration = Duration::from_secs(5);

impl Directory {
    /// Has the shim stop the work under the epoch's authority, waits for it, and kills what remains.
    pub async fn stop(&self, epoch: i64, grace: Duration) -> io::Result<()> {
        // The lease has to last for as long as the grace does.
        let left = grace.saturating_add(SHIM_WAIT);
        let ordered = self.write_lease(epoch, &Lease::new(clock::boot_millis(), left, grace).stopping(grace));
        // Read after the order was written: a shim that is not there yet will read the order before it starts anything.
        if ordered.is_ok()
            && let Some(shim) = self.shim_at_work()?
        {
            // It ends with the attempt, for another than its own worker has stopped that.
            let _ = timeout(left, shim.ended()).await;
        }
        self.end_remains().await?;
        // What was there is gone, but a shim that comes late would not know.
        ordered
    }

    /// Kills whatever belongs to the attempt, its shim included, until nothing does.
    pub async fn end_remains(&self) -> io::Result<()> {
        end(|| self.remains()).await
    }

    /// Whether the shim or the work is running.
    pub fn is_running(&self) -> bool {
        let Ok(Some((file, record))) = self.shim_record() else { return false };
        self.is_at_work(&file, &record) || record.child.is_some_and(|child| child.is_alive())
    }

    /// What is alive and is the shim, bears the attempt's mark in its environment or is of the work's session.
    fn remains(&self) -> Vec<Stat> {
        let (shim, child) = match self.shim_record() {
            Ok(Some((file, record))) => {
                // One that is at work elsewhere has nothing to do with this.
                let shim = self.is_at_work(&file, &record).then_some(record.shim.pid);
                (shim, record.child)
            }
            _ => (None, None),
        };
        // Without its leader, a session may be anybody's: the number could have been used again.
        let session = child.filter(Identity::is_alive).map(|leader| leader.pid);
        let mark = mark(self.path());
        let belongs =
            |stat: &Stat| Some(stat.pid) == shim || Some(stat.session) == session || has_variable(stat.pid, &mark);
        alive().filter(belongs).collect()
    }
}

/// Kills whatever bears the mark of the attempt in that directory in its environment, until nothing does.
pub(super) async fn end_marked(path: &Path) -> io::Result<()> {
    let mark = mark(path);
    end(|| alive().filter(|stat| has_variable(stat.pid, &mark)).collect()).await
}

async fn end(remains: impl Fn() -> Vec<Stat>) -> io::Result<()> {
    let deadline = Instant::now() + KILL_WAIT;
    loop {
        let remains = remains();
        if remains.is_empty() {
            return Ok(());
        }
        remains.iter().for_each(Stat::kill);
        if Instant::now() > deadline {
            let pids: Vec<i32> = remains.iter().map(|stat| stat.pid).collect();
            return Err(io::Error::other(format!("processes {pids:?} of the attempt cannot be killed")));
        }
        sleep(Duration::from_millis(10)).await;
    }
}

fn mark(path: &Path) -> String {
    format!("RUNLANE_OUTPUT_DIR={}", path.join(OUTPUT).display())
}

/// Every process but this one.
fn alive() -> impl Iterator<Item = Stat> {
    let me = std::process::id() as i32;
    Stat::all().into_iter().filter(move |stat| stat.pid != me && !stat.is_dead())
}

fn has_variable(pid: i32, mark: &str) -> bool {
    // Another user's environment cannot be read; nor can it be ours then, unless we are root.
    let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
}
