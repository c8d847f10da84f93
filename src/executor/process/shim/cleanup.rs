//! Leaves nothing behind: reaps orphans while the work runs, and kills and reaps every descendant after it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Signal, WaitOptions, WaitStatus, kill_process, kill_process_group, waitpid};
use tokio::time::{Instant, sleep};

use super::complain;
use crate::executor::process::identity::{Stat, pid};

/// How long killed processes may take to go away before the shim goes without them.
const KILL_WAIT: Duration = Duration::from_secs(10);

/// Signals the work's process group. The work must not have been reaped: then its number cannot be another's.
pub(super) fn signal_group(child: i32, signal: Signal) {
    let Ok(number) = pid(child) else { return };
    match kill_process_group(number, signal) {
        // Before it has a group of its own, it is alone.
        Err(Errno::SRCH) => drop(kill_process(number, signal)),
        Err(error) => complain(format_args!("cannot signal the work: {error}")),
        Ok(()) => {}
    }
}

/// Reaps orphans of the work, which fall to the shim, but not the work itself: it holds on to its number.
pub(super) fn reap_orphans(child: i32) {
    children().unwrap_or_default().into_iter().filter(|orphan| *orphan != child).for_each(reap);
}

/// Whether nothing descends from the shim but work that is dead. What that has left fell to the shim when it died.
fn is_alone_with(child: i32) -> bool {
    Stat::of(child).is_some_and(|stat| stat.is_dead()) && children().is_ok_and(|children| children == [child])
}

/// Whether this process has no other threads.
pub(super) fn is_one_thread() -> bool {
    // A directory has a link for itself, one from above, and one for each that is in it.
    fs::metadata("/proc/self/task").is_ok_and(|threads| threads.nlink() == 3)
}

/// Of every thread of the shim.
fn children() -> io::Result<Vec<i32>> {
    let numbers = |listed: String| listed.split_whitespace().filter_map(|word| word.parse::<i32>().ok()).collect();
    if is_one_thread() {
        return fs::read_to_string("/proc/thread-self/children").map(numbers);
    }
    let mut children = Vec::new();
    for thread in fs::read_dir("/proc/self/task")? {
        let listed: Vec<i32> = numbers(fs::read_to_string(thread?.path().join("children"))?);
        children.extend(listed);
    }
    Ok(children)
}

/// Kills everything that descends from the shim, in rounds, since those who lose their parent only now fall to it.
/// Answers how the work ended, which it reaps last, and whether nothing is left.
pub(super) async fn end_all(child: i32) -> io::Result<(Option<WaitStatus>, bool)> {
    let mut is_clean = true;
    let deadline = Instant::now() + KILL_WAIT;
    loop {
        let others = others(child);
        if others.is_empty() {
            break;
        }
        if Instant::now() > deadline {
            let pids: Vec<i32> = others.iter().map(|stat| stat.pid).collect();
            complain(format_args!("processes {pids:?} cannot be killed"));
            is_clean = false;
            break;
        }
        for stat in others {
            if stat.is_dead() { reap(stat.pid) } else { stat.kill() }
        }
        sleep(Duration::from_millis(5)).await;
    }
    match waitpid(Some(pid(child)?), WaitOptions::empty()) {
        Ok(ended) => Ok((ended.map(|(_, status)| status), is_clean)),
        Err(error) => Err(error.into()),
    }
}

/// All that descend from the shim or are of the work's session, except the work, and the dead that others will reap.
fn others(child: i32) -> Vec<Stat> {
    if is_alone_with(child) {
        return Vec::new();
    }
    let me = std::process::id() as i32;
    let mut candidates = Stat::all();
    candidates.retain(|stat| stat.pid != me && stat.pid != child);
    let mut family = HashSet::from([me, child]);
    while candidates.iter().any(|stat| family.contains(&stat.parent) && family.insert(stat.pid)) {}
    candidates.retain(|stat| family.contains(&stat.pid) || stat.session == child);
    candidates.retain(|stat| !stat.is_dead() || stat.parent == me);
    candidates
}

fn reap(orphan: i32) {
    if let Ok(number) = pid(orphan) {
        // Not dead yet, or reaped before: either is fine.
        let _ = waitpid(Some(number), WaitOptions::NOHANG);
    }
}
