//! Creates the schedule of a name, or makes the one there is what it is meant to be. What is so already is not written.

use jiff::Timestamp;

use super::create_schedule::own_grant;
use super::edit_schedule::{TRIES, edit_seen};
use super::{
    By, Catalog, Edited, GrantChoice, GrantRequest, Naming, PlanRefusal, SchedulePlan, ScheduleRequest, TimingRefusal,
    check_schedule_name, create_schedule,
};
use crate::run::{GrantId, ScheduleId, TaskName};
use crate::schedule::{Disabled, Grant, NewSchedule, Schedule, ScheduleName, Standing};
use crate::store::{CreateScheduleOutcome, EditScheduleOutcome, ScheduleEdit, Store, StoreError};

/// What the schedule of a name is meant to be.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedSchedule {
    /// Which one.
    pub name: ScheduleName,
    /// All that it does: what the plan leaves out is as for a new schedule.
    pub plan: SchedulePlan,
    /// Whether it is enabled. Unless said, a new one is, and one there is stays paused or not.
    pub enabled: Option<bool>,
    /// Under which permission. Unless said, one there is keeps its grant if that allows the task; others get their own.
    pub grant: Option<GrantChoice>,
    /// The version that was seen, if nothing else is to be changed.
    pub version: Option<i64>,
}

/// Whether anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplyMode {
    /// It is.
    Write,
    /// Nothing is: the answer says what would be.
    DryRun,
}

/// What came of it, or would.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "one at a time")]
pub enum AppliedSchedule {
    /// There was none.
    Created(Schedule),
    /// It was something else.
    Updated {
        /// As it was.
        before: Schedule,
        /// As it is. In a dry run, a grant that would be made has the id 0.
        after: Schedule,
    },
    /// It was so already.
    Unchanged(Schedule),
}

/// Why nothing was applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The plan is wrong.
    #[error(transparent)]
    Plan(#[from] PlanRefusal),
    /// The schedule is at another version than was seen; at none, if there is no schedule.
    #[error("the schedule was edited since it was seen")]
    Outdated(Option<i64>),
    /// There is no such workspace.
    #[error("the workspace does not exist")]
    UnknownWorkspace,
    /// There is no such grant in this workspace.
    #[error("there is no such grant in this workspace")]
    UnknownGrant,
    /// The grant does not allow its task, or not any more.
    #[error("its grant {}", why(*.0))]
    GrantRefused(Standing),
    /// It is to be enabled, and has no slot to come.
    #[error("it has no slot to come")]
    NoSlots,
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<TimingRefusal> for ApplyError {
    fn from(refusal: TimingRefusal) -> Self {
        Self::Plan(refusal.into())
    }
}

fn why(standing: Standing) -> &'static str {
    match standing {
        Standing::OutOfScope => "does not allow the task",
        Standing::Expired => "has expired",
        Standing::Good | Standing::Revoked => "was revoked",
    }
}

/// Creates or updates it. Of several that do so at once, one creates it and the others find it as they want it.
pub async fn apply_schedule(
    store: &dyn Store,
    by: &By,
    catalog: &dyn Catalog,
    wanted: &WantedSchedule,
    mode: ApplyMode,
    now: Timestamp,
) -> Result<AppliedSchedule, ApplyError> {
    for _ in 0..TRIES {
        match store.schedule_named(&by.workspace, &wanted.name).await? {
            Some(seen) => {
                if let Some(applied) = update(store, by, catalog, wanted, seen, mode, now).await? {
                    return Ok(applied);
                }
            }
            None => {
                if let Some(schedule) = create(store, by, catalog, wanted, mode, now).await? {
                    return Ok(AppliedSchedule::Created(schedule));
                }
            }
        }
    }
    Err(StoreError::Contended { doing: "apply_schedule" }.into())
}

/// `None` if somebody else was faster.
async fn create(
    store: &dyn Store,
    by: &By,
    catalog: &dyn Catalog,
    wanted: &WantedSchedule,
    mode: ApplyMode,
    now: Timestamp,
) -> Result<Option<Schedule>, ApplyError> {
    if wanted.version.is_some() {
        return Err(ApplyError::Outdated(None));
    }
    check_schedule_name(&wanted.name)?;
    let spec = wanted.plan.spec(catalog, wanted.name.clone(), None, now)?;
    let (enabled, grant) = (wanted.enabled.unwrap_or(true), wanted.grant.clone().unwrap_or(GrantChoice::Own));
    if mode == ApplyMode::DryRun {
        let grant = would_run_under(store, by, &grant, &spec.task).await?;
        let request = NewSchedule { id: ScheduleId::new(), workspace: by.workspace.clone(), spec, grant, enabled };
        return Ok(Some(Schedule::new(&request, now)));
    }
    let request = ScheduleRequest { spec, naming: Naming::AsGiven, enabled, grant };
    match create_schedule(store, by, request).await? {
        CreateScheduleOutcome::Created(schedule) => Ok(Some(schedule)),
        CreateScheduleOutcome::NameTaken(..) => Ok(None),
        CreateScheduleOutcome::UnknownWorkspace => Err(ApplyError::UnknownWorkspace),
        CreateScheduleOutcome::UnknownGrant => Err(ApplyError::UnknownGrant),
        CreateScheduleOutcome::GrantRefused(standing) => Err(ApplyError::GrantRefused(standing)),
        CreateScheduleOutcome::NoSlots => Err(ApplyError::NoSlots),
        // The ids are ours, and new.
        CreateScheduleOutcome::DuplicateId | CreateScheduleOutcome::DuplicateGrant => {
            Err(StoreError::Corrupt("a new schedule exists already".into()).into())
        }
    }
}

/// `None` if somebody else was faster: what is to be done, and under which grant, depends on what they did.
async fn update(
    store: &dyn Store,
    by: &By,
    catalog: &dyn Catalog,
    wanted: &WantedSchedule,
    seen: Schedule,
    mode: ApplyMode,
    now: Timestamp,
) -> Result<Option<AppliedSchedule>, ApplyError> {
    let grant = new_grant(store, by, wanted, &seen).await?;
    let edited = edited(catalog, wanted, &seen, grant, now)?;
    if mode == ApplyMode::DryRun {
        return would_become(store, by, seen, edited).await.map(Some);
    }
    match edit_seen(store, by, &seen, edited).await? {
        EditScheduleOutcome::Unchanged(schedule) => Ok(Some(AppliedSchedule::Unchanged(schedule))),
        EditScheduleOutcome::Edited(after) => Ok(Some(AppliedSchedule::Updated { before: seen, after })),
        EditScheduleOutcome::NotFound | EditScheduleOutcome::NameTaken(..) | EditScheduleOutcome::Outdated => Ok(None),
        EditScheduleOutcome::UnknownGrant => Err(ApplyError::UnknownGrant),
        EditScheduleOutcome::GrantRefused(standing) => Err(ApplyError::GrantRefused(standing)),
        EditScheduleOutcome::NoSlots => Err(ApplyError::NoSlots),
        // Its id is ours, and new.
        EditScheduleOutcome::DuplicateGrant => Err(StoreError::Corrupt("a new grant exists already".into()).into()),
    }
}

/// What becomes of a schedule there is.
fn edited(
    catalog: &dyn Catalog,
    wanted: &WantedSchedule,
    seen: &Schedule,
    grant: Option<GrantChoice>,
    now: Timestamp,
) -> Result<Edited, ApplyError> {
    if wanted.version.is_some_and(|version| version != seen.version) {
        return Err(ApplyError::Outdated(Some(seen.version)));
    }
    let spec = wanted.plan.spec(catalog, seen.spec.name.clone(), Some(&seen.spec), now)?;
    let is_over = seen.disabled.as_ref().is_some_and(Disabled::is_completed);
    let enabled = match is_over {
        // Other times bring it back; with the same ones there is nothing to enable.
        true if spec.timing != seen.spec.timing => Some(wanted.enabled.unwrap_or(true)),
        true => None,
        false => wanted.enabled,
    };
    Ok(Edited { spec, naming: Naming::AsGiven, grant, enabled })
}

/// The grant it is to run under from now on; `None` if it keeps the one it has.
async fn new_grant(
    store: &dyn Store,
    by: &By,
    wanted: &WantedSchedule,
    seen: &Schedule,
) -> Result<Option<GrantChoice>, StoreError> {
    let current = store.grant(&by.workspace, seen.grant).await?;
    let choice = match &wanted.grant {
        Some(GrantChoice::Existing(grant)) if *grant == seen.grant => None,
        Some(GrantChoice::New(terms)) if current.as_ref().is_some_and(|grant| are_terms_of(terms, grant)) => None,
        Some(choice) => Some(choice.clone()),
        None if current.is_some_and(|grant| grant.scopes.allow(&wanted.plan.task)) => None,
        None => Some(GrantChoice::Own),
    };
    Ok(choice)
}

fn are_terms_of(terms: &GrantRequest, grant: &Grant) -> bool {
    terms.user == grant.user
        && terms.billing_account == grant.billing_account
        && terms.scopes == grant.scopes
        && terms.expires_at.map(crate::clock::to_micros) == grant.expires_at
}

/// What an edit would come to.
async fn would_become(
    store: &dyn Store,
    by: &By,
    seen: Schedule,
    edited: Edited,
) -> Result<AppliedSchedule, ApplyError> {
    let grant = match &edited.grant {
        Some(choice) => would_run_under(store, by, choice, &edited.spec.task).await?,
        None => seen.grant,
    };
    let enabled = edited.enabled.unwrap_or(seen.disabled.is_none());
    let edit = ScheduleEdit { version: seen.version, spec: edited.spec, grant, enabled };
    if edit.asks_for_nothing(&seen) {
        return Ok(AppliedSchedule::Unchanged(seen));
    }
    let disabled = edit.disabled(&seen);
    let after = Schedule { spec: edit.spec, grant, disabled, head: None, version: seen.version + 1, ..seen.clone() };
    Ok(AppliedSchedule::Updated { before: seen, after })
}

/// The grant there would be, if it allows the task.
async fn would_run_under(
    store: &dyn Store,
    by: &By,
    choice: &GrantChoice,
    task: &TaskName,
) -> Result<GrantId, ApplyError> {
    let request = match choice {
        GrantChoice::Existing(grant) => {
            let checked = store.check_grant(&by.workspace, *grant, task).await?;
            return match checked.map(|checked| checked.standing) {
                None => Err(ApplyError::UnknownGrant),
                Some(Standing::Good) => Ok(*grant),
                Some(standing) => Err(ApplyError::GrantRefused(standing)),
            };
        }
        GrantChoice::New(request) => request.clone(),
        GrantChoice::Own => own_grant(by, task)?,
    };
    match request.scopes.allow(task) {
        true => Ok(GrantId(uuid::Uuid::nil())),
        false => Err(ApplyError::GrantRefused(Standing::OutOfScope)),
    }
}
