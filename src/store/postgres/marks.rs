//! Where the last claim of each stream ended.
//!
//! PostgreSQL keeps what a claim took out of the index until no transaction can see it any more. A claim that starts
//! at the front steps over all of that first: with one transaction held open for a minute, over millions of
//! entries. So a claim starts where the last one of this process ended, and looks at everything only when something
//! may stand before that place: whenever this process put it there, and from time to time, because other processes
//! put things there too. How often depends on what a full look costs.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::run::{Priority, QueueName, Run, TaskName, WorkspaceName};
use crate::store::script::{Interest, LastSeen, StreamKey, last_seen};

/// A place in a stream: urgency (the lower, the sooner), then order of submission.
pub(super) type Mark = (i16, i64);

/// Before every run there can be.
pub(super) const START: Mark = (i16::MIN, i64::MIN);

/// Full looks may take this part of the time.
const COST_FACTOR: u32 = 20;
/// However dear, what other processes made ready is seen after this.
const LONGEST_INTERVAL: Duration = Duration::from_secs(2);
/// More are not worth remembering.
const MOST_PLACES: usize = 10_000;
/// Workers of a process mostly ask for the same.
const MOST_INTERESTS: usize = 32;
/// While there is enough to claim, no need to hurry.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Default)]
pub(super) struct Marks(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Rises whenever the marks are forgotten, so that a claim that began before cannot bring them back.
    generation: u64,
    interests: HashMap<Interest, Streams>,
}

/// What is known of the streams that somebody is interested in.
#[derive(Default)]
struct Streams {
    /// Rises with every full look, so that claims that began before it cannot bring back what it has set anew.
    full_looks: u64,
    places: HashMap<StreamKey, Mark>,
    last_seen: LastSeen,
    last_full_look: Option<FullLook>,
}

#[derive(Clone, Copy)]
struct FullLook {
    ended: Instant,
    cost: Duration,
}

/// What one claim knows and learns.
#[derive(Default)]
pub(super) struct Look {
    generation: u64,
    full_looks: u64,
    pub(super) interest: Interest,
    pub(super) places: HashMap<StreamKey, Mark>,
    pub(super) last_seen: LastSeen,
    /// Whether finding little is reason enough to look at everything.
    pub(super) may_look_again: bool,
    full_look_began: Option<Instant>,
}

impl Marks {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The streams known and where to start in each; none when it is time to look at everything.
    pub(super) fn look(&self, interest: &Interest) -> Look {
        let known = self.known();
        let mut look = Look {
            generation: known.generation,
            full_looks: 0,
            interest: interest.clone(),
            places: HashMap::new(),
            last_seen: LastSeen::new(),
            may_look_again: true,
            full_look_began: None,
        };
        let Some(streams) = known.interests.get(interest) else { return look };
        look.full_looks = streams.full_looks;
        look.last_seen = streams.last_seen.clone();
        if let Some(FullLook { ended, cost }) = streams.last_full_look {
            let (age, pause) = (ended.elapsed(), pause_after(cost));
            // Streams that the last look left out are no further away for a wait.
            look.may_look_again = age >= pause || !streams.last_seen.is_empty();
            if age < pause.max(SHORTEST_INTERVAL) {
                look.places = streams.places.clone();
            }
        }
        look
    }

    /// The stream of this interest and where to start in it, if no other is known.
    pub(super) fn only(&self, interest: &Interest) -> Option<(StreamKey, Mark)> {
        only(&self.known().interests.get(interest)?.places)
    }

    /// How long it is until claims may look at everything again.
    pub(super) fn until_full_look(&self) -> Duration {
        let known = self.known();
        let looks = known.interests.values().filter_map(|streams| streams.last_full_look);
        looks.map(|look| pause_after(look.cost).saturating_sub(look.ended.elapsed())).max().unwrap_or_default()
    }

    /// Takes over what a committed claim learned.
    pub(super) fn learn(&self, look: Look) {
        let mut known = self.known();
        if known.generation != look.generation {
            return;
        }
        if known.interests.len() > MOST_INTERESTS {
            known.interests.clear();
        }
        let streams = known.interests.entry(look.interest).or_default();
        if streams.full_looks != look.full_looks {
            return;
        }
        if let Some(began) = look.full_look_began {
            streams.full_looks += 1;
            streams.last_seen = look.last_seen;
            if streams.places.len() > MOST_PLACES {
                streams.places.clear();
            }
            // The claim that follows it starts at the front, too, so it is part of the cost.
            streams.last_full_look = Some(FullLook { ended: Instant::now(), cost: began.elapsed() });
        }
        for (stream, mark) in look.places {
            let place = streams.places.entry(stream).or_insert(START);
            // After a full look the claim's end is where to start, even if earlier claims had come further.
            *place = if look.full_look_began.is_some() { mark } else { mark.max(*place) };
        }
    }

    /// Something may now stand before the marks.
    pub(super) fn forget(&self) {
        let mut known = self.known();
        known.generation += 1;
        for streams in known.interests.values_mut() {
            streams.places.clear();
            streams.last_full_look = None;
        }
    }

    /// Whether these new runs all come after the marks of streams that are known to all who are interested in them.
    pub(super) fn follow<'a>(&self, ready: impl Iterator<Item = (StreamRef<'a>, Priority)>) -> bool {
        let (known, mut last) = (self.known(), None);
        if known.interests.is_empty() {
            return false;
        }
        // Those next to each other are mostly alike.
        ready.filter(|run| last.replace(*run) != Some(*run)).all(|((workspace, task, queue), priority)| {
            let stream = StreamKey { workspace: workspace.clone(), task: task.clone(), queue: queue.clone() };
            let interested = |interest: &Interest| interest.has(task) && interest.serves(queue);
            // A new run comes last among its equals, so its urgency decides.
            let is_before =
                |streams: &Streams| streams.places.get(&stream).is_some_and(|mark| urgency(priority) >= mark.0);
            known.interests.iter().all(|(interest, streams)| !interested(interest) || is_before(streams))
        })
    }
}

/// Which stream a new run is for.
pub(super) type StreamRef<'a> = (&'a WorkspaceName, &'a TaskName, &'a QueueName);

impl Look {
    pub(super) fn mark(&self, stream: &StreamKey) -> Mark {
        self.places.get(stream).copied().unwrap_or(START)
    }

    /// As [`Marks::only`], unless it is time to look at everything.
    pub(super) fn only(&self) -> Option<(StreamKey, Mark)> {
        only(&self.places)
    }

    pub(super) fn saw_everything(&mut self, streams: &[StreamKey], began: Instant) {
        self.places = streams.iter().map(|stream| (stream.clone(), START)).collect();
        self.last_seen = last_seen(streams.iter());
        self.full_look_began = Some(began);
    }

    pub(super) fn claimed(&mut self, runs: &[Run]) {
        for run in runs {
            let place = self.places.entry(StreamKey::of(run)).or_insert(START);
            *place = (*place).max((urgency(run.priority), run.seq));
        }
    }
}

fn only(places: &HashMap<StreamKey, Mark>) -> Option<(StreamKey, Mark)> {
    places.iter().next().filter(|_| places.len() == 1).map(|(stream, mark)| (stream.clone(), *mark))
}

fn pause_after(cost: Duration) -> Duration {
    (cost * COST_FACTOR).min(LONGEST_INTERVAL)
}

fn urgency(priority: Priority) -> i16 {
    -priority.get()
}
