//! What people ask of schedules and grants, and the repair of schedules without a head.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::apply::{Change, apply, lane_of, wrote_all};
use super::chain::{NextHeads, insert_head, insert_heads};
use super::{LaneKey, ScheduleChange, Tx};
use crate::run::lifecycle::{self, Command};
use crate::run::{GrantId, Run, RunId, ScheduleId, TaskName, WorkspaceName};
use crate::schedule::{Grant, NewGrant, NewSchedule, Schedule, Standing};
use crate::store::{
    CreateGrantOutcome, CreateScheduleOutcome, EditScheduleOutcome, Result, RevokeGrantOutcome, ScheduleEdit,
    StoreError,
};

pub(in crate::store) async fn create_grant<T: Tx>(tx: &mut T, request: &NewGrant) -> Result<CreateGrantOutcome> {
    if tx.known_workspaces(std::slice::from_ref(&request.workspace)).await?.is_empty() {
        return Ok(CreateGrantOutcome::UnknownWorkspace);
    }
    let grant = Grant::new(request, tx.now().await?);
    Ok(match tx.insert_grant(&grant).await? {
        true => CreateGrantOutcome::Created(grant),
        false => CreateGrantOutcome::DuplicateId,
    })
}

/// As [`create_grant`], after a commit that was not answered: the grant may be there already.
pub(in crate::store) async fn create_grant_again<T: Tx>(tx: &mut T, request: &NewGrant) -> Result<CreateGrantOutcome> {
    let outcome = create_grant(tx, request).await?;
    if outcome != CreateGrantOutcome::DuplicateId {
        return Ok(outcome);
    }
    let found = tx.grant(&request.workspace, request.id).await?;
    let made = found.filter(|grant| *grant == Grant::new(request, grant.created_at));
    Ok(made.map_or(outcome, CreateGrantOutcome::Created))
}

pub(in crate::store) async fn revoke_grant<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    grant: GrantId,
) -> Result<RevokeGrantOutcome> {
    let now = tx.now().await?;
    let revoked = tx.revoke_grant(workspace, grant, now).await?;
    let found = tx.lock_grants(&[grant]).await?.pop().filter(|grant| grant.workspace == *workspace);
    Ok(match found {
        None => RevokeGrantOutcome::NotFound,
        Some(grant) if revoked => RevokeGrantOutcome::Revoked(grant),
        Some(grant) => RevokeGrantOutcome::AlreadyRevoked(grant),
    })
}

/// As [`revoke_grant`], after a commit that was not answered: that the grant is revoked may well be the caller's doing.
pub(in crate::store) async fn revoke_grant_again<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    grant: GrantId,
) -> Result<RevokeGrantOutcome> {
    Ok(match revoke_grant(tx, workspace, grant).await? {
        RevokeGrantOutcome::AlreadyRevoked(grant) => RevokeGrantOutcome::Revoked(grant),
        outcome => outcome,
    })
}

pub(in crate::store) async fn create_schedule<T: Tx>(
    tx: &mut T,
    request: &NewSchedule,
    grant: Option<&NewGrant>,
) -> Result<CreateScheduleOutcome> {
    if tx.known_workspaces(std::slice::from_ref(&request.workspace)).await?.is_empty() {
        return Ok(CreateScheduleOutcome::UnknownWorkspace);
    }
    if tx.read_schedule(request.id).await?.is_some() {
        return Ok(CreateScheduleOutcome::DuplicateId);
    }
    if let Some(other) = tx.schedule_named(&request.workspace, &request.spec.name).await? {
        return Ok(CreateScheduleOutcome::NameTaken(other.id, other.spec.name.clone()));
    }
    let now = tx.now().await?;
    let Some((schedule, head)) = Schedule::create(request, now) else { return Ok(CreateScheduleOutcome::NoSlots) };
    let standing = match grant {
        Some(new) => Some(Grant::new(new, now).standing(&request.spec.task, now)),
        None => standing(tx, &request.workspace, request.grant, &request.spec.task, now).await?,
    };
    match standing {
        None => return Ok(CreateScheduleOutcome::UnknownGrant),
        Some(Standing::Good) => {}
        Some(standing) => return Ok(CreateScheduleOutcome::GrantRefused(standing)),
    }
    if let Some(new) = grant
        && !tx.insert_grant(&Grant::new(new, now)).await?
    {
        return Ok(CreateScheduleOutcome::DuplicateGrant);
    }
    if !tx.insert_schedule(&schedule).await? {
        // Somebody made it, or one of its name, since it was looked for: look again.
        return Err(StoreError::Contended { doing: "create_schedule" });
    }
    insert_head(tx, head.as_ref(), now).await?;
    Ok(CreateScheduleOutcome::Created(schedule))
}

/// As [`create_schedule`], after a commit that was not answered: the schedule may be there already.
pub(in crate::store) async fn create_schedule_again<T: Tx>(
    tx: &mut T,
    request: &NewSchedule,
    grant: Option<&NewGrant>,
) -> Result<CreateScheduleOutcome> {
    let outcome = create_schedule(tx, request, grant).await?;
    if outcome != CreateScheduleOutcome::DuplicateId {
        return Ok(outcome);
    }
    let found = tx.schedule(&request.workspace, request.id).await?;
    let made = found.filter(|found| found.spec == request.spec && found.grant == request.grant);
    Ok(made.map_or(outcome, CreateScheduleOutcome::Created))
}

/// `None` if there is no such grant.
async fn standing<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    grant: GrantId,
    task: &TaskName,
    now: Timestamp,
) -> Result<Option<Standing>> {
    let found = tx.lock_grants(&[grant]).await?.pop().filter(|grant| grant.workspace == *workspace);
    Ok(found.map(|grant| grant.standing(task, now)))
}

pub(in crate::store) async fn edit_schedule<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    id: ScheduleId,
    edit: &ScheduleEdit,
    grant: Option<&NewGrant>,
) -> Result<EditScheduleOutcome> {
    let Some((seen, head)) = lock(tx, workspace, id).await? else { return Ok(EditScheduleOutcome::NotFound) };
    if seen.version != edit.version {
        return Ok(EditScheduleOutcome::Outdated);
    }
    if seen.spec.name != edit.spec.name
        && let Some(other) = tx.schedule_named(workspace, &edit.spec.name).await?
    {
        return Ok(EditScheduleOutcome::NameTaken(other.id, other.spec.name.clone()));
    }
    let now = tx.now().await?;
    let standing = match grant {
        Some(new) => Some(Grant::new(new, now).standing(&edit.spec.task, now)),
        None => standing(tx, workspace, edit.grant, &edit.spec.task, now).await?,
    };
    match standing {
        None => return Ok(EditScheduleOutcome::UnknownGrant),
        Some(standing) if edit.enabled && standing != Standing::Good => {
            return Ok(EditScheduleOutcome::GrantRefused(standing));
        }
        Some(_) => {}
    }
    if edit.asks_for_nothing(&seen) {
        return Ok(EditScheduleOutcome::Unchanged(seen));
    }
    let Some(edited) = seen.edited(edit, head.as_ref(), now) else { return Ok(EditScheduleOutcome::NoSlots) };
    if let Some(new) = grant
        && !tx.insert_grant(&Grant::new(new, now)).await?
    {
        return Ok(EditScheduleOutcome::DuplicateGrant);
    }
    // The old head is no head any more before it is withdrawn, so that no next slot is scheduled after it.
    let change = ScheduleChange { before: seen, after: edited.schedule };
    wrote_all(tx.edit_schedule(&change).await?.into(), 1)?;
    if let Some(waiting) = edited.withdrawn {
        withdraw(tx, waiting, now).await?;
    }
    if !edited.skips.is_empty() {
        tx.insert_skips(&edited.skips).await?;
    }
    insert_head(tx, edited.new_head.as_ref(), now).await?;
    Ok(EditScheduleOutcome::Edited(change.after))
}

pub(in crate::store) async fn delete_schedule<T: Tx>(
    tx: &mut T,
    workspace: &WorkspaceName,
    id: ScheduleId,
) -> Result<bool> {
    let Some((schedule, head)) = lock(tx, workspace, id).await? else { return Ok(false) };
    let now = tx.now().await?;
    wrote_all(tx.delete_schedule(&schedule).await?.into(), 1)?;
    if let Some(waiting) = head.filter(|run| !lifecycle::started(run)) {
        withdraw(tx, waiting, now).await?;
    }
    Ok(true)
}

/// A schedule and the live run at its head. The run is locked first, as everywhere.
async fn lock<T: Tx>(tx: &mut T, workspace: &WorkspaceName, id: ScheduleId) -> Result<Option<(Schedule, Option<Run>)>> {
    let Some(seen) = tx.read_schedule(id).await?.filter(|seen| seen.workspace == *workspace) else { return Ok(None) };
    let head = match seen.head {
        Some(head) => tx.lock_runs(&[head.run]).await?.pop(),
        None => None,
    };
    let Some(schedule) = tx.lock_schedules(&[id]).await?.pop() else { return Ok(None) };
    if schedule.head != seen.head {
        // The next slot was scheduled in between: read again.
        return Err(StoreError::Contended { doing: "schedule" });
    }
    Ok(Some((schedule, head)))
}

/// Removes a run that has not started and is no head any more.
async fn withdraw<T: Tx>(tx: &mut T, run: Run, now: Timestamp) -> Result<()> {
    let (workspace, id): (WorkspaceName, RunId) = (run.workspace.clone(), run.id);
    let lanes: BTreeSet<LaneKey> = lane_of(&run).into_iter().collect();
    if let Ok((step, _)) = lifecycle::command(run.clone(), Command::Cancel, false, now) {
        apply(tx, vec![Change { before: run, step }], lanes, now).await?;
        tx.forget_runs(&[(workspace, id)]).await?;
    }
    Ok(())
}

/// Repairs schedules whose head is gone, which only a manual change of the database can cause.
pub(in crate::store) async fn sweep_schedules<T: Tx>(tx: &mut T, limit: usize) -> Result<Vec<ScheduleId>> {
    let broken = tx.broken_schedules(limit).await?;
    if broken.is_empty() {
        return Ok(broken);
    }
    let schedules = tx.lock_schedules(&broken).await?;
    let heads: Vec<RunId> = schedules.iter().filter_map(|schedule| Some(schedule.head?.run)).collect();
    // Again, now that nobody else can change the schedules.
    let live: BTreeSet<RunId> = tx.lock_runs(&heads).await?.into_iter().map(|run| run.id).collect();
    let now = tx.now().await?;
    let mut next = NextHeads::default();
    for before in schedules {
        let mut schedule = before.clone();
        if schedule.disabled.is_some() || schedule.head.is_some_and(|head| live.contains(&head.run)) {
            continue;
        }
        next.add(schedule.repair(now), now);
        next.changed.push(ScheduleChange { before, after: schedule });
    }
    let repaired = next.changed.iter().map(|change| change.before.id).collect();
    let runs = next.write(tx).await?;
    insert_heads(tx, &runs).await?;
    Ok(repaired)
}
