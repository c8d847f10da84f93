//! Edits a schedule, however often others do so in between.

use super::by::detail;
use super::create_grant::made_grant;
use super::create_schedule::{own_grant, told};
use super::schedule_name::free_name;
use super::{By, GrantChoice, Naming};
use crate::run::{GrantId, ScheduleId};
use crate::schedule::{NewGrant, Schedule, ScheduleSpec, Standing};
use crate::store::{EditScheduleOutcome, Result, ScheduleEdit, Store, StoreError};

/// Whoever is overtaken so often gives up.
pub(super) const TRIES: usize = 10;

/// What becomes of a schedule that somebody looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// What is to be done from now on.
    pub spec: ScheduleSpec,
    /// Whether the name in it is the one it is to have.
    pub naming: Naming,
    /// Under which permission; `None` for the one it has.
    pub grant: Option<GrantChoice>,
    /// Whether it is at work; `None` to leave that.
    pub enabled: Option<bool>,
}

/// Reads the schedule, lets `edit` say what becomes of it, and writes that down; again if somebody else was faster. What
/// `edit` refuses is left as it is.
pub async fn edit_schedule<E: From<StoreError>>(
    store: &dyn Store,
    by: &By,
    id: ScheduleId,
    edit: impl Fn(&Schedule) -> std::result::Result<Edited, E>,
) -> std::result::Result<EditScheduleOutcome, E> {
    for _ in 0..TRIES {
        let Some(seen) = store.schedule(&by.workspace, id).await? else { return Ok(EditScheduleOutcome::NotFound) };
        let edited = edit(&seen)?;
        let naming = edited.naming;
        match edit_seen(store, by, &seen, edited).await? {
            EditScheduleOutcome::Outdated => {}
            EditScheduleOutcome::NameTaken(..) if naming == Naming::AfterTask => {}
            outcome => return Ok(outcome),
        }
    }
    Err(StoreError::Contended { doing: "edit_schedule" }.into())
}

/// Writes down what becomes of a schedule, unless somebody has edited it since it was seen.
pub(super) async fn edit_seen(
    store: &dyn Store,
    by: &By,
    seen: &Schedule,
    Edited { mut spec, naming, grant, enabled }: Edited,
) -> Result<EditScheduleOutcome> {
    if naming == Naming::AfterTask {
        spec.name = free_name(store, &by.workspace, &spec.task, Some(seen.id)).await?;
    }
    let (grant, new_grant) = match grant {
        None => (seen.grant, None),
        Some(choice) => match chosen(store, by, choice, &spec).await? {
            Ok(Chosen::There(grant)) => (grant, None),
            Ok(Chosen::New(grant)) => (grant.id, Some(grant)),
            Err(refused) => return Ok(refused),
        },
    };
    let wanted =
        ScheduleEdit { version: seen.version, spec, grant, enabled: enabled.unwrap_or(seen.disabled.is_none()) };
    let outcome = store.edit_schedule(&by.workspace, seen.id, &wanted, new_grant.as_ref()).await?;
    // What a script repeats changes nothing, and nobody needs to read of it.
    if let EditScheduleOutcome::Edited(schedule) = &outcome {
        if new_grant.is_some()
            && let Some(grant) = store.grant(&by.workspace, schedule.grant).await?
        {
            made_grant(store, by, &grant).await;
        }
        by.did(store, action(seen, schedule), &seen.id, detail(told(schedule))).await;
    }
    Ok(outcome)
}

/// A grant to run under.
enum Chosen {
    There(GrantId),
    /// To be made with the edit: where that is refused, no grant is left behind.
    New(NewGrant),
}

/// The grant that was chosen. One that does not stand is refused even for a schedule that is not at work: the store asks
/// only when it is to be.
async fn chosen(
    store: &dyn Store,
    by: &By,
    choice: GrantChoice,
    spec: &ScheduleSpec,
) -> Result<std::result::Result<Chosen, EditScheduleOutcome>> {
    let request = match choice {
        GrantChoice::Existing(grant) => {
            let checked = store.check_grant(&by.workspace, grant, &spec.task).await?;
            return Ok(match checked.map(|checked| checked.standing) {
                None => Err(EditScheduleOutcome::UnknownGrant),
                Some(Standing::Good) => Ok(Chosen::There(grant)),
                Some(standing) => Err(EditScheduleOutcome::GrantRefused(standing)),
            });
        }
        GrantChoice::New(request) => request,
        GrantChoice::Own => own_grant(by, &spec.task)?,
    };
    match request.scopes.allow(&spec.task) {
        true => Ok(Ok(Chosen::New(request.new_grant(by)))),
        false => Ok(Err(EditScheduleOutcome::GrantRefused(Standing::OutOfScope))),
    }
}

fn action(before: &Schedule, after: &Schedule) -> &'static str {
    let same = before.spec == after.spec && before.grant == after.grant;
    match (before.disabled.is_none(), after.disabled.is_none()) {
        (true, false) if same => "schedule.pause",
        (false, true) if same => "schedule.resume",
        _ => "schedule.edit",
    }
}
