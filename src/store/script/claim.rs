//! Claims: orphans first, then ready runs, workspaces in turn.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::apply::apply;
use super::chain::admit;
use super::claim_ahead::claim_ahead;
use super::{Change, Interest, Place, QueueKey, ReadyStreams, Room, Stream, StreamKey, Turn, Tx};
use crate::run::{Run, RunId, WorkspaceName, lifecycle};
use crate::store::{Claim, ClaimRequest, ClaimScope, Claimed, Lease, Result};

pub(in crate::store) async fn claim<T: Tx>(tx: &mut T, request: &ClaimRequest) -> Result<Claim> {
    if let Some(ahead) = &request.ahead {
        return claim_ahead(tx, request, ahead).await;
    }
    if let Some(known) = &request.known_leases {
        take_back_unknown(tx, request, known).await?;
    }
    let mut claim = Claim { runs: Vec::new(), last_turn: request.last_turn.clone() };
    if request.capacity == 0 {
        return Ok(claim);
    }
    let (mut adopted, mut ready) = tx.adopt(request).await?;
    adopted.sort_by_key(|(run, _)| order(run));
    claim.runs.extend(adopted.into_iter().map(|(run, orphaned_at)| Claimed::adopted(run, orphaned_at)));
    let mut left = request.capacity - claim.runs.len();
    if left == 0 {
        return Ok(claim);
    }
    loop {
        let complete = ready.complete;
        let taken = take_turns(tx, ready, request, claim.last_turn.as_ref(), left).await?;
        left -= taken.len();
        if let Some(last) = taken.last() {
            claim.last_turn = Some(last.workspace.clone());
        }
        claim.runs.extend(taken.into_iter().map(Claimed::begun));
        if left == 0 || complete {
            claim.runs = admit(tx, claim.runs).await?;
            return Ok(claim);
        }
        ready = tx.ready_streams(&Interest::of(request)).await?;
    }
}

/// Takes back what the worker holds and does not know of, since the claim that got it was not answered.
async fn take_back_unknown<T: Tx>(tx: &mut T, request: &ClaimRequest, known: &[Lease]) -> Result<()> {
    let known: HashSet<&Lease> = known.iter().collect();
    let unknown: HashSet<Lease> =
        tx.leases_of(request.taker.worker).await?.into_iter().filter(|lease| !known.contains(lease)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let ids: BTreeSet<RunId> = unknown.iter().map(|lease| lease.run).collect();
    let runs = tx.lock_runs(&ids.into_iter().collect::<Vec<_>>()).await?;
    let now = tx.now().await?;
    let still = runs.into_iter().filter(|run| unknown.contains(&Lease { run: run.id, epoch: run.epoch }));
    let changes: Vec<Change> = still
        .filter_map(|before| Some(Change { step: lifecycle::take_back(before.clone(), now).ok()?, before }))
        .collect();
    apply(tx, changes, BTreeSet::new(), now).await
}

/// A claim in a transaction that already holds locks: only what it need not wait for.
pub(super) async fn claim_nowait<T: Tx>(tx: &mut T, request: &ClaimRequest) -> Result<Claim> {
    if request.scope == ClaimScope::FreedLanes {
        return Ok(Claim::default());
    }
    match tx.claim_known(request).await? {
        Some(claim) => Ok(claim),
        None => claim(tx, request).await,
    }
}

/// Claims up to `left` runs of the streams, in the order of turns.
async fn take_turns<T: Tx>(
    tx: &mut T,
    ready: ReadyStreams,
    request: &ClaimRequest,
    last_turn: Option<&WorkspaceName>,
    mut left: usize,
) -> Result<Vec<Run>> {
    let limited: BTreeSet<QueueKey> =
        ready.streams.iter().filter(|stream| stream.limited).map(|stream| queue_of(&stream.key)).collect();
    let limited: Vec<QueueKey> = limited.into_iter().collect();
    let rooms = if limited.is_empty() { Vec::new() } else { tx.lock_rooms(&limited).await? };
    let mut rota = Rota::new(ready.streams, rooms, last_turn);
    let mut taken = Vec::new();
    while let Some(round) = rota.next_round(left) {
        let turns = rota.turns(tx, &round).await?;
        let runs = tx.claim(&turns, request).await?;
        rota.record(&round, &runs);
        left -= runs.len();
        taken.extend(runs);
    }
    Ok(in_order_of_turns(&rota.order, taken))
}

/// Priority high first, then oldest.
pub(super) fn order(run: &Run) -> (Reverse<crate::run::Priority>, i64) {
    (Reverse(run.priority), run.seq)
}

/// The workspaces served next, and the share of each.
struct Round {
    workspaces: Vec<WorkspaceName>,
    share: usize,
}

/// The workspaces that have something to claim, in the order of their turns.
struct Rota {
    order: Vec<WorkspaceName>,
    waiting: Vec<WorkspaceName>,
    streams: HashMap<WorkspaceName, Vec<StreamKey>>,
    /// How many more runs each limited queue may have running.
    rooms: HashMap<QueueKey, usize>,
}

impl Rota {
    fn new(ready: Vec<Stream>, rooms: Vec<Room>, last_turn: Option<&WorkspaceName>) -> Self {
        let rooms: HashMap<QueueKey, usize> =
            rooms.into_iter().map(|room| ((room.workspace, room.queue), room.free)).collect();
        let mut streams: HashMap<_, Vec<_>> = HashMap::new();
        for Stream { key, limited } in ready {
            // A limited queue without an answer lost its settings meanwhile; the next claim will see it.
            let full = limited && rooms.get(&queue_of(&key)).is_none_or(|free| *free == 0);
            if !full {
                streams.entry(key.workspace.clone()).or_default().push(key);
            }
        }
        let mut order: Vec<WorkspaceName> = streams.keys().cloned().collect();
        order.sort_by_key(turn(last_turn));
        Self { waiting: order.clone(), order, streams, rooms }
    }

    /// Equal shares for all, or one run each for as many as there is capacity for; `None` when nothing is left to claim.
    fn next_round(&self, left: usize) -> Option<Round> {
        let served = self.waiting.len().min(left);
        let share = left.checked_div(served)?;
        Some(Round { workspaces: self.waiting[..served].to_vec(), share })
    }

    /// How much to claim from each stream. Where a workspace has several, their fronts are read first, so that the claim locks only
    /// what it takes.
    async fn turns<T: Tx>(&self, tx: &mut T, round: &Round) -> Result<Vec<Turn>> {
        let mut turns = Vec::new();
        for workspace in &round.workspaces {
            let turn = |stream: &StreamKey| {
                let room = self.rooms.get(&queue_of(stream)).copied();
                Turn { stream: stream.clone(), take: room.unwrap_or(round.share).min(round.share) }
            };
            let mut wanted: Vec<Turn> = self.streams[workspace].iter().map(turn).collect();
            if wanted.len() > 1 {
                let places = tx.ready_places(&wanted).await?;
                self.share_out(places, round.share, &mut wanted);
            }
            turns.extend(wanted.into_iter().filter(|turn| turn.take > 0));
        }
        Ok(turns)
    }

    /// Gives each turn those of its places that are among the first, within the limits of the queues.
    fn share_out(&self, mut places: Vec<Place>, share: usize, turns: &mut [Turn]) {
        places.sort();
        let mut rooms = self.rooms.clone();
        turns.iter_mut().for_each(|turn| turn.take = 0);
        let mut left = share;
        for place in places {
            let turn = &mut turns[place.turn];
            let room = rooms.get_mut(&queue_of(&turn.stream));
            if left == 0 {
                return;
            }
            match room {
                Some(0) => continue,
                Some(room) => *room -= 1,
                None => {}
            }
            turn.take += 1;
            left -= 1;
        }
    }

    /// A workspace that got less than its share has nothing left; the others queue up again behind those still to be served.
    fn record(&mut self, round: &Round, runs: &[Run]) {
        for run in runs {
            if let Some(room) = self.rooms.get_mut(&(run.workspace.clone(), run.queue.clone())) {
                *room = room.saturating_sub(1);
            }
        }
        let got = |workspace: &WorkspaceName| runs.iter().filter(|run| run.workspace == *workspace).count();
        self.waiting.drain(..round.workspaces.len());
        self.waiting.extend(round.workspaces.iter().filter(|workspace| got(workspace) == round.share).cloned());
    }
}

/// The order of turns: workspaces after the one served last come first.
pub(super) fn turn(last: Option<&WorkspaceName>) -> impl Fn(&WorkspaceName) -> (bool, WorkspaceName) {
    move |workspace| (last.is_some_and(|last| workspace <= last), workspace.clone())
}

pub(super) fn in_order_of_turns(workspaces: &[WorkspaceName], mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_by_key(order);
    let mut ranks: HashMap<WorkspaceName, usize> = HashMap::new();
    let place: HashMap<&WorkspaceName, usize> = workspaces.iter().zip(0..).collect();
    let mut ranked: Vec<(usize, usize, Run)> = runs
        .into_iter()
        .map(|run| {
            let rank = ranks.entry(run.workspace.clone()).or_default();
            *rank += 1;
            (*rank, place.get(&run.workspace).copied().unwrap_or_default(), run)
        })
        .collect();
    ranked.sort_by_key(|(rank, place, _)| (*rank, *place));
    ranked.into_iter().map(|(_, _, run)| run).collect()
}

fn queue_of(stream: &StreamKey) -> QueueKey {
    (stream.workspace.clone(), stream.queue.clone())
}
