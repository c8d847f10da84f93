//! Scan positions: where the last claim of each stream ended.
//!
//! PostgreSQL keeps the index entries of claimed runs until no transaction can see them any more. A claim that starts at the front
//! skips all of them first: with one transaction held open for a minute, millions. So a claim starts where the last one of this
//! process ended. It scans everything only when runs may be before that position: whenever this process put one there, and from time
//! to time, because other processes do so too. How often depends on what a full scan costs.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::run::{Priority, QueueName, Run, TaskName, WorkspaceName};
use crate::store::script::{Interest, LastSeen, StreamKey, last_seen};

/// A position in a stream: urgency (the lower, the sooner), then order of submission.
pub(super) type ScanPosition = (i16, i64);

/// Before every run there can be.
pub(super) const START: ScanPosition = (i16::MIN, i64::MIN);

/// Full scans may take this part of the time.
const COST_FACTOR: u32 = 20;
/// Whatever a full scan costs, runs that other processes made ready are found after this.
const LONGEST_INTERVAL: Duration = Duration::from_secs(2);
/// More positions are not worth remembering.
const MOST_POSITIONS: usize = 10_000;
/// The workers of a process mostly claim from the same streams.
const MOST_INTERESTS: usize = 32;
/// While known streams have enough to claim, full scans are no more frequent than this.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Default)]
pub(super) struct ScanPositions(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Rises with every reset, so that a claim that began before it cannot restore old positions.
    generation: u64,
    interests: HashMap<Interest, Streams>,
}

/// What is known of the streams that one interest covers.
#[derive(Default)]
struct Streams {
    /// Rises with every full scan, so that claims that began before it cannot restore old positions.
    full_scans: u64,
    positions: HashMap<StreamKey, ScanPosition>,
    last_seen: LastSeen,
    last_full_scan: Option<FullScan>,
}

#[derive(Clone, Copy)]
struct FullScan {
    ended: Instant,
    cost: Duration,
}

/// The scan of one claim: where it starts, and what it finds.
#[derive(Default)]
pub(super) struct Scan {
    generation: u64,
    full_scans: u64,
    pub(super) interest: Interest,
    pub(super) positions: HashMap<StreamKey, ScanPosition>,
    pub(super) last_seen: LastSeen,
    /// Whether a full scan may follow if this one finds too little.
    pub(super) may_rescan: bool,
    full_scan_began: Option<Instant>,
}

impl ScanPositions {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The known streams and where to start in each; none when a full scan is due.
    pub(super) fn start(&self, interest: &Interest) -> Scan {
        let known = self.known();
        let mut scan = Scan {
            generation: known.generation,
            full_scans: 0,
            interest: interest.clone(),
            positions: HashMap::new(),
            last_seen: LastSeen::new(),
            may_rescan: true,
            full_scan_began: None,
        };
        let Some(streams) = known.interests.get(interest) else { return scan };
        scan.full_scans = streams.full_scans;
        scan.last_seen = streams.last_seen.clone();
        if let Some(FullScan { ended, cost }) = streams.last_full_scan {
            let (age, pause) = (ended.elapsed(), pause_after(cost));
            // Waiting does not help to find the streams that the last scan left out.
            scan.may_rescan = age >= pause || !streams.last_seen.is_empty();
            if age < pause.max(SHORTEST_INTERVAL) {
                scan.positions = streams.positions.clone();
            }
        }
        scan
    }

    /// The one known stream of this interest and where to start in it; `None` if there are none or several.
    pub(super) fn only_stream(&self, interest: &Interest) -> Option<(StreamKey, ScanPosition)> {
        only_stream(&self.known().interests.get(interest)?.positions)
    }

    /// How long it is until claims may scan everything again.
    pub(super) fn until_full_scan(&self) -> Duration {
        let known = self.known();
        let scans = known.interests.values().filter_map(|streams| streams.last_full_scan);
        scans.map(|scan| pause_after(scan.cost).saturating_sub(scan.ended.elapsed())).max().unwrap_or_default()
    }

    /// Stores what a committed claim found.
    pub(super) fn learn(&self, scan: Scan) {
        let mut known = self.known();
        if known.generation != scan.generation {
            return;
        }
        if known.interests.len() > MOST_INTERESTS {
            known.interests.clear();
        }
        let streams = known.interests.entry(scan.interest).or_default();
        if streams.full_scans != scan.full_scans {
            return;
        }
        if let Some(began) = scan.full_scan_began {
            streams.full_scans += 1;
            streams.last_seen = scan.last_seen;
            if streams.positions.len() > MOST_POSITIONS {
                streams.positions.clear();
            }
            // The claim that follows it starts at the front, too, so it is part of the cost.
            streams.last_full_scan = Some(FullScan { ended: Instant::now(), cost: began.elapsed() });
        }
        for (stream, position) in scan.positions {
            let known = streams.positions.entry(stream).or_insert(START);
            // After a full scan, its position counts even if earlier claims had come further.
            *known = if scan.full_scan_began.is_some() { position } else { position.max(*known) };
        }
    }

    /// Runs may now be before the positions: the next claim scans everything.
    pub(super) fn reset(&self) {
        let mut known = self.known();
        known.generation += 1;
        for streams in known.interests.values_mut() {
            streams.positions.clear();
            streams.last_full_scan = None;
        }
    }

    /// Whether the positions of all interests that cover these new runs are before them, so that claims will find them.
    pub(super) fn precede<'a>(&self, ready: impl Iterator<Item = (StreamRef<'a>, Priority)>) -> bool {
        let (known, mut last) = (self.known(), None);
        if known.interests.is_empty() {
            return false;
        }
        // Neighbours are mostly alike.
        ready.filter(|run| last.replace(*run) != Some(*run)).all(|((workspace, task, queue), priority)| {
            let stream = StreamKey { workspace: workspace.clone(), task: task.clone(), queue: queue.clone() };
            let interested = |interest: &Interest| interest.has(task) && interest.serves(queue);
            // A new run comes last among its equals, so its urgency decides.
            let is_before = |streams: &Streams| {
                streams.positions.get(&stream).is_some_and(|position| urgency(priority) >= position.0)
            };
            known.interests.iter().all(|(interest, streams)| !interested(interest) || is_before(streams))
        })
    }
}

/// Which stream a new run is for.
pub(super) type StreamRef<'a> = (&'a WorkspaceName, &'a TaskName, &'a QueueName);

impl Scan {
    pub(super) fn position(&self, stream: &StreamKey) -> ScanPosition {
        self.positions.get(stream).copied().unwrap_or(START)
    }

    /// As [`ScanPositions::only_stream`], unless a full scan is due.
    pub(super) fn only_stream(&self) -> Option<(StreamKey, ScanPosition)> {
        only_stream(&self.positions)
    }

    pub(super) fn found_all(&mut self, streams: &[StreamKey], began: Instant) {
        self.positions = streams.iter().map(|stream| (stream.clone(), START)).collect();
        self.last_seen = last_seen(streams.iter());
        self.full_scan_began = Some(began);
    }

    pub(super) fn claimed(&mut self, runs: &[Run]) {
        for run in runs {
            let known = self.positions.entry(StreamKey::of(run)).or_insert(START);
            *known = (*known).max((urgency(run.priority), run.seq));
        }
    }
}

fn only_stream(positions: &HashMap<StreamKey, ScanPosition>) -> Option<(StreamKey, ScanPosition)> {
    positions.iter().next().filter(|_| positions.len() == 1).map(|(stream, position)| (stream.clone(), *position))
}

fn pause_after(cost: Duration) -> Duration {
    (cost * COST_FACTOR).min(LONGEST_INTERVAL)
}

fn urgency(priority: Priority) -> i16 {
    -priority.get()
}
