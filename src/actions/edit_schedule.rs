//! Edits a schedule, however often others do so in between.

use super::by::detail;
use super::create_grant::create_grant;
use super::create_schedule::{own_grant, told};
use super::schedule_name::free_name;
use super::{By, GrantChoice, Naming};
use crate::run::{GrantId, ScheduleId};
use crate::schedule::{Schedule, ScheduleSpec, Standing};
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
    let mut made = None;
    for _ in 0..TRIES {
        let Some(seen) = store.schedule(&by.workspace, id).await? else { return Ok(EditScheduleOutcome::NotFound) };
        let Edited { mut spec, naming, grant, enabled } = edit(&seen)?;
        if naming == Naming::AfterTask {
            spec.name = free_name(store, &by.workspace, &spec.task, Some(id)).await?;
        }
        let enabled = enabled.unwrap_or(seen.disabled.is_none());
        let grant = match grant {
            None => seen.grant,
            Some(choice) => match chosen(store, by, &choice, &spec, &mut made).await? {
                Ok(grant) => grant,
                Err(refused) => return Ok(refused),
            },
        };
        let wanted = ScheduleEdit { version: seen.version, spec, grant, enabled };
        match store.edit_schedule(&by.workspace, id, &wanted).await? {
            EditScheduleOutcome::Outdated => {}
            EditScheduleOutcome::NameTaken(..) if naming == Naming::AfterTask => {}
            // What a script repeats changes nothing, and nobody needs to read of it.
            EditScheduleOutcome::Unchanged(schedule) => return Ok(EditScheduleOutcome::Unchanged(schedule)),
            EditScheduleOutcome::Edited(schedule) => {
                by.did(store, action(&seen, &schedule), &id, detail(told(&schedule))).await;
                return Ok(EditScheduleOutcome::Edited(schedule));
            }
            refused => return Ok(refused),
        }
    }
    Err(StoreError::Contended { doing: "edit_schedule" }.into())
}

/// The grant that was chosen, made if need be, but once. One that does not stand is refused even for a schedule that is
/// not at work: the store asks only when it is to be.
async fn chosen(
    store: &dyn Store,
    by: &By,
    choice: &GrantChoice,
    spec: &ScheduleSpec,
    made: &mut Option<GrantId>,
) -> Result<std::result::Result<GrantId, EditScheduleOutcome>> {
    let request = match choice {
        GrantChoice::Existing(grant) => {
            let checked = store.check_grant(&by.workspace, *grant, &spec.task).await?;
            return Ok(match checked.map(|checked| checked.standing) {
                None => Err(EditScheduleOutcome::UnknownGrant),
                Some(Standing::Good) => Ok(*grant),
                Some(standing) => Err(EditScheduleOutcome::GrantRefused(standing)),
            });
        }
        GrantChoice::New(request) => request.clone(),
        GrantChoice::Own => own_grant(by, &spec.task)?,
    };
    if !request.scopes.allow(&spec.task) {
        return Ok(Err(EditScheduleOutcome::GrantRefused(Standing::OutOfScope)));
    }
    if let Some(grant) = made {
        return Ok(Ok(*grant));
    }
    // There is a schedule, so there is its workspace.
    let grant = create_grant(store, by, &request).await?;
    *made = grant.map(|grant| grant.id);
    Ok(made.ok_or(EditScheduleOutcome::NotFound))
}

fn action(before: &Schedule, after: &Schedule) -> &'static str {
    let same = before.spec == after.spec && before.grant == after.grant;
    match (before.disabled.is_none(), after.disabled.is_none()) {
        (true, false) if same => "schedule.pause",
        (false, true) if same => "schedule.resume",
        _ => "schedule.edit",
    }
}
