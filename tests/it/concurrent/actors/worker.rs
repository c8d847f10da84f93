//! Claims, renews, finishes, fails, and now and then dies without a word, to speak up when nobody listens any more.

use std::sync::Arc;

use jiff::SignedDuration;
use runlane::run::lifecycle::{Outcome, Release, Retry, Taker};
use runlane::run::{HostName, RunError, Stop, TaskName, WorkerId, WorkspaceName};
use runlane::store::{
    Ahead, Append, ClaimRequest, ClaimScope, Claimed, Finish, Lease, NewEvent, ReleaseLease, Renew, Renewal, Store,
};

use super::dice::Dice;
use super::world::{World, pause};

pub(super) async fn work(store: Arc<dyn Store>, world: Arc<World>, at: usize, dice: Dice) {
    let mut worker = Worker {
        store,
        taker: taker(&format!("host-{}", at % 3)),
        last_turn: None,
        dropped: Vec::new(),
        held: Vec::new(),
        world,
        dice,
    };
    while !worker.world.is_over() {
        worker.turn().await;
    }
}

pub(super) fn taker(host: &str) -> Taker {
    Taker { worker: WorkerId::new(), host: HostName::parse(host).expect("a good name") }
}

struct Worker {
    store: Arc<dyn Store>,
    world: Arc<World>,
    taker: Taker,
    last_turn: Option<WorkspaceName>,
    /// What it gave up without a word.
    dropped: Vec<Lease>,
    held: Vec<(Lease, Option<Stop>)>,
    dice: Dice,
}

impl Worker {
    async fn turn(&mut self) {
        let request = ClaimRequest {
            ahead: self.ahead(),
            lease_ttl: self.world.size.lease_ttl,
            takeover_delay: self.world.size.takeover_delay,
            last_turn: self.last_turn.take(),
            ..ClaimRequest::of(self.taker.clone(), 1 + self.dice.below(4) as usize)
        };
        let Ok(claim) = self.store.claim(&request).await else { return };
        self.last_turn = claim.last_turn;
        let mut runs = claim.runs;
        // What ends may hand over what is next, which ends in its turn.
        loop {
            self.held = runs.iter().map(|claimed| (claimed.lease(), None)).collect();
            pause(&mut self.dice, 12).await;
            if self.dice.one_in(10) {
                self.append().await;
            }
            if self.dice.one_in(3) {
                self.renew().await;
                pause(&mut self.dice, 12).await;
            }
            runs = self.end(&runs, &request).await;
            if runs.is_empty() {
                break;
            }
        }
        if self.dice.one_in(4) {
            self.speak_too_late().await;
        }
    }

    /// One claim in three leases ahead of the start.
    fn ahead(&mut self) -> Option<Ahead> {
        let tasks = [TaskName::parse("work").expect("a good name")].into();
        self.dice.one_in(3).then(|| Ahead { tasks, spare: self.dice.below(3) as usize })
    }

    async fn append(&self) {
        let events = vec![NewEvent { kind: runlane::store::EventKind::Log, data: runlane::run::Json::null() }];
        let appends: Vec<Append> =
            self.held.iter().map(|(lease, _)| Append { lease: *lease, events: events.clone() }).collect();
        // Errors are in the recording; the worker goes on.
        let _ = self.store.append(&appends).await;
    }

    async fn renew(&mut self) {
        // Any of them may have begun by now, if it was leased ahead.
        let mut leases: Vec<Renew> = self.held.iter().map(|(lease, _)| (*lease).into()).collect();
        leases.iter_mut().for_each(|renew| renew.began = self.dice.one_in(2).then_some(SignedDuration::ZERO));
        let Ok(answers) = self.store.renew(&leases, self.world.size.lease_ttl).await else { return };
        for ((_, stop), answer) in self.held.iter_mut().zip(answers) {
            if let Renewal::Renewed { stop: asked } = answer {
                *stop = asked;
            }
        }
    }

    /// Most attempts end in one batch; some are released, and some simply forgotten. Answers with what was handed over.
    async fn end(&mut self, claimed: &[Claimed], next: &ClaimRequest) -> Vec<Claimed> {
        let (mut finishes, mut releases) = (Vec::new(), Vec::new());
        for ((lease, stop), claimed) in std::mem::take(&mut self.held).into_iter().zip(claimed) {
            match self.dice.below(12) {
                0 => self.dropped.push(lease),
                1 => releases.push(ReleaseLease { lease, how: self.any_release() }),
                _ => finishes.push(Finish::of(lease, self.any_outcome(stop, claimed.adopted))),
            }
        }
        let mut handed_over = Vec::new();
        if !finishes.is_empty() && self.dice.one_in(2) {
            let scope = if self.dice.one_in(2) { ClaimScope::KnownStreams } else { ClaimScope::FreedLanes };
            let next = ClaimRequest { capacity: finishes.len(), scope, ahead: self.ahead(), ..next.clone() };
            let answer = self.store.finish_and_claim(&finishes, &next).await;
            handed_over = answer.map(|(_, claim)| claim.runs).unwrap_or_default();
        } else if !finishes.is_empty() {
            let _ = self.store.finish(&finishes).await;
        }
        if !releases.is_empty() {
            let _ = self.store.release(&releases).await;
        }
        handed_over
    }

    fn any_release(&mut self) -> Release {
        let ways = [Release::ForAdoption, Release::ToQueue, Release::ToPaused, Release::Unbegun];
        ways[self.dice.below(4) as usize]
    }

    fn any_outcome(&mut self, stop: Option<Stop>, adopted: bool) -> Outcome {
        let error = || RunError::new("broken", "it broke");
        match (stop, self.dice.below(10)) {
            (Some(Stop::Cancel), _) => Outcome::Cancelled,
            (Some(Stop::Pause), _) => Outcome::Paused,
            (None, 0) if adopted => Outcome::Lost,
            (None, 0) => Outcome::TimedOut { limit_seconds: None },
            (None, 1) => Outcome::Failed { error: error(), retry: Retry::Never },
            (None, 2) => Outcome::Failed { error: error(), retry: Retry::After(SignedDuration::ZERO) },
            (None, 3) => Outcome::Failed { error: error(), retry: Retry::Backoff },
            (None, _) => Outcome::Succeeded { output: None },
        }
    }

    /// Says of one dropped attempt that it succeeded, or still goes on, without knowing whose it is by now.
    async fn speak_too_late(&mut self) {
        let Some(lease) = self.dice.pick(&self.dropped).copied() else { return };
        if self.dice.one_in(2) {
            let finish = Finish::of(lease, Outcome::Succeeded { output: None });
            let _ = self.store.finish(&[finish]).await;
        } else if self.dice.one_in(2) {
            let events = vec![NewEvent { kind: runlane::store::EventKind::Log, data: runlane::run::Json::null() }];
            let _ = self.store.append(&[Append { lease, events }]).await;
        } else {
            let _ = self.store.renew(&[lease.into()], self.world.size.lease_ttl).await;
        }
    }
}
