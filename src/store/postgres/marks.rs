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

use crate::run::{Priority, QueueName, Run, WorkspaceName};

pub(super) type StreamKey = (WorkspaceName, QueueName);

/// A place in a stream: urgency (the lower, the sooner), then order of submission.
pub(super) type Mark = (i16, i64);

/// Before every run there can be.
pub(super) const START: Mark = (i16::MIN, i64::MIN);

/// Full looks may take this part of the time.
const COST_FACTOR: u32 = 20;
/// However dear, what other processes made ready is seen after this.
const LONGEST_INTERVAL: Duration = Duration::from_secs(2);
/// More are not worth remembering.
const MOST_STREAMS: usize = 10_000;
/// While there is enough to claim, no need to hurry.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Default)]
pub(super) struct Marks(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Rises whenever the marks are forgotten, so that a claim that began before cannot bring them back.
    generation: u64,
    places: HashMap<StreamKey, Mark>,
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
    pub(super) places: HashMap<StreamKey, Mark>,
    /// Whether finding little is reason enough to look at everything.
    pub(super) may_look_again: bool,
    full_look_began: Option<Instant>,
}

impl Marks {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The streams known and where to start in each; none when it is time to look at everything.
    pub(super) fn look(&self) -> Look {
        let known = self.known();
        let mut look = Look { generation: known.generation, may_look_again: true, ..Look::default() };
        if let Some(FullLook { ended, cost }) = known.last_full_look {
            let (age, pause) = (ended.elapsed(), pause_after(cost));
            look.may_look_again = age >= pause;
            if age < pause.max(SHORTEST_INTERVAL) {
                look.places = known.places.clone();
            }
        }
        look
    }

    /// The stream of these queues (of all, if none is named), and where to start in it, if no other stream is known.
    pub(super) fn only(&self, queues: &[QueueName]) -> Option<(StreamKey, Mark)> {
        only(&self.known().places, queues)
    }

    /// How long it is until claims may look at everything again.
    pub(super) fn until_full_look(&self) -> Duration {
        let Some(FullLook { ended, cost }) = self.known().last_full_look else { return Duration::ZERO };
        pause_after(cost).saturating_sub(ended.elapsed())
    }

    /// Takes over what a committed claim learned.
    pub(super) fn learn(&self, look: Look) {
        let mut known = self.known();
        if known.generation != look.generation {
            return;
        }
        let full_look = look.full_look_began;
        if let Some(began) = full_look {
            // Claims that began before it must not bring back marks that it has set anew.
            known.generation += 1;
            if known.places.len() > MOST_STREAMS {
                known.places.clear();
            }
            // The claim that follows it starts at the front, too, so it is part of the cost.
            known.last_full_look = Some(FullLook { ended: Instant::now(), cost: began.elapsed() });
        }
        for (stream, mark) in look.places {
            let place = known.places.entry(stream).or_insert(START);
            // After a full look the claim's end is where to start, even if earlier claims had come further.
            *place = if full_look.is_some() { mark } else { mark.max(*place) };
        }
    }

    /// Something may now stand before the marks.
    pub(super) fn forget(&self) {
        let mut known = self.known();
        known.generation += 1;
        known.places.clear();
        known.last_full_look = None;
    }

    /// Whether these new runs all come after the marks of streams that are known.
    pub(super) fn follow<'a>(&self, ready: impl Iterator<Item = (&'a WorkspaceName, &'a QueueName, Priority)>) -> bool {
        let (known, mut last) = (self.known(), None);
        // Those next to each other are mostly alike.
        ready.filter(|run| last.replace(*run) != Some(*run)).all(|(workspace, queue, priority)| {
            let stream = (workspace.clone(), queue.clone());
            // A new run comes last among its equals, so its urgency decides.
            known.places.get(&stream).is_some_and(|mark| urgency(priority) >= mark.0)
        })
    }
}

impl Look {
    pub(super) fn mark(&self, workspace: &WorkspaceName, queue: &QueueName) -> Mark {
        self.places.get(&(workspace.clone(), queue.clone())).copied().unwrap_or(START)
    }

    /// As [`Marks::only`], unless it is time to look at everything.
    pub(super) fn only(&self, queues: &[QueueName]) -> Option<(StreamKey, Mark)> {
        only(&self.places, queues)
    }

    pub(super) fn saw_everything(&mut self, streams: impl Iterator<Item = StreamKey>, began: Instant) {
        self.places = streams.map(|stream| (stream, START)).collect();
        self.full_look_began = Some(began);
    }

    pub(super) fn claimed(&mut self, runs: &[Run]) {
        for run in runs {
            let place = self.places.entry((run.workspace.clone(), run.queue.clone())).or_insert(START);
            *place = (*place).max((urgency(run.priority), run.seq));
        }
    }
}

fn only(places: &HashMap<StreamKey, Mark>, queues: &[QueueName]) -> Option<(StreamKey, Mark)> {
    let (stream, mark) = places.iter().next().filter(|_| places.len() == 1)?;
    (queues.is_empty() || queues.contains(&stream.1)).then(|| (stream.clone(), *mark))
}

fn pause_after(cost: Duration) -> Duration {
    (cost * COST_FACTOR).min(LONGEST_INTERVAL)
}

fn urgency(priority: Priority) -> i16 {
    -priority.get()
}
