//! Leasing runs ahead of their start, for workers whose slots are busy with short work.

use std::collections::{HashMap, VecDeque};

use super::claim::{in_order_of_turns, turn};
use super::{Interest, Place, Turn, Tx};
use crate::run::WorkspaceName;
use crate::store::{Ahead, Claim, ClaimRequest, Claimed, Result};

/// Every stream is read at least so far.
const SHORTEST_SCAN: usize = 64;

/// Nothing is adopted, and no limit is taken: workspaces get their turns until each comes to a run that must not be leased ahead.
pub(super) async fn claim_ahead<T: Tx>(tx: &mut T, request: &ClaimRequest, ahead: &Ahead) -> Result<Claim> {
    let mut ready = tx.ready_streams(&Interest::of(request)).await?;
    while !ready.complete {
        ready = tx.ready_streams(&Interest::of(request)).await?;
    }
    let depth = depth(request.capacity + ahead.spare, ready.streams.len());
    let mut turns: Vec<Turn> =
        ready.streams.iter().map(|stream| Turn { stream: stream.key.clone(), take: depth }).collect();
    let mut places = tx.ready_places(&turns).await?;
    let most = request.capacity.min(places.len().saturating_sub(ahead.spare));
    places.sort();
    turns.iter_mut().for_each(|turn| turn.take = 0);
    let mut lines = Lines::default();
    for place in places {
        let stream = &ready.streams[place.turn];
        let may = place.may_go_ahead && !stream.limited && ahead.tasks.contains(&stream.key.task);
        lines.line_up(&stream.key.workspace, place, may);
    }
    let workspaces = lines.in_turn(request.last_turn.as_ref());
    let mut claim = Claim { runs: Vec::new(), last_turn: request.last_turn.clone() };
    let mut left = most;
    for workspace in workspaces.iter().cycle().take(most.saturating_mul(workspaces.len())) {
        if left == 0 {
            break;
        }
        let Some(place) = lines.next(workspace) else { continue };
        let turn = &mut turns[place.turn];
        turn.take += 1;
        left -= 1;
        claim.last_turn = Some(workspace.clone());
        if turn.take == depth {
            // What follows was not read.
            lines.close(workspace);
        }
    }
    turns.retain(|turn| turn.take > 0);
    if !turns.is_empty() {
        let runs = in_order_of_turns(&workspaces, tx.claim(&turns, request).await?);
        claim.runs = runs.into_iter().map(Claimed::begun).collect();
    }
    Ok(claim)
}

/// How far to read each of so many streams to find so many runs: of many streams, none need have all of them.
fn depth(wanted: usize, streams: usize) -> usize {
    (2 * wanted).div_ceil(streams.max(1)).max(SHORTEST_SCAN).min(wanted)
}

/// What each workspace may lease ahead, in order.
#[derive(Default)]
struct Lines(HashMap<WorkspaceName, Line>);

#[derive(Default)]
struct Line {
    places: VecDeque<Place>,
    at_an_end: bool,
}

impl Lines {
    fn line_up(&mut self, workspace: &WorkspaceName, place: Place, may: bool) {
        let line = self.0.entry(workspace.clone()).or_default();
        line.at_an_end |= !may;
        if !line.at_an_end {
            line.places.push_back(place);
        }
    }

    fn in_turn(&self, last: Option<&WorkspaceName>) -> Vec<WorkspaceName> {
        let mut workspaces: Vec<WorkspaceName> = self.0.keys().cloned().collect();
        workspaces.sort_by_key(turn(last));
        workspaces
    }

    fn next(&mut self, workspace: &WorkspaceName) -> Option<Place> {
        self.0.get_mut(workspace)?.places.pop_front()
    }

    fn close(&mut self, workspace: &WorkspaceName) {
        if let Some(line) = self.0.get_mut(workspace) {
            line.places.clear();
        }
    }
}
