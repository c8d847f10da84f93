//! Makes a schedule, with the grant it runs under if there is none yet.

use super::by::detail;
use super::create_grant::made_grant;
use super::edit_schedule::TRIES;
use super::schedule_name::free_name;
use super::{By, GrantRequest, Naming};
use crate::run::{GrantId, ScheduleId, TaskName};
use crate::schedule::{BillingAccount, NewSchedule, Schedule, ScheduleSpec, Scopes, UserName};
use crate::store::{CreateScheduleOutcome, Result, Store, StoreError};

/// What a schedule is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleRequest {
    /// What is to be done, and when.
    pub spec: ScheduleSpec,
    /// Whether the name in it is the one it is to have.
    pub naming: Naming,
    /// Whether it begins at once.
    pub enabled: bool,
    /// Under which permission.
    pub grant: GrantChoice,
}

/// Under which permission a schedule runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantChoice {
    /// One that there is.
    Existing(GrantId),
    /// One that is made with it.
    New(GrantRequest),
    /// One for the caller, for this task alone, paid for by the workspace.
    Own,
}

/// Makes it.
pub async fn create_schedule(store: &dyn Store, by: &By, request: ScheduleRequest) -> Result<CreateScheduleOutcome> {
    if request.naming == Naming::AsGiven {
        return create_once(store, by, request).await;
    }
    for _ in 0..TRIES {
        let mut named = request.clone();
        named.spec.name = free_name(store, &by.workspace, &request.spec.task, None).await?;
        match create_once(store, by, named).await? {
            // Somebody else took the name since it was free.
            CreateScheduleOutcome::NameTaken(..) => {}
            outcome => return Ok(outcome),
        }
    }
    Err(StoreError::Contended { doing: "create_schedule" })
}

async fn create_once(store: &dyn Store, by: &By, request: ScheduleRequest) -> Result<CreateScheduleOutcome> {
    let new_grant = match &request.grant {
        GrantChoice::Existing(_) => None,
        GrantChoice::New(grant) => Some(grant.new_grant(by)),
        GrantChoice::Own => Some(own_grant(by, &request.spec.task)?.new_grant(by)),
    };
    let grant = match (&request.grant, &new_grant) {
        (GrantChoice::Existing(grant), _) => *grant,
        (_, Some(new)) => new.id,
        (_, None) => return Err(StoreError::Corrupt("a schedule without a grant".into())),
    };
    let wanted = NewSchedule {
        id: ScheduleId::new(),
        workspace: by.workspace.clone(),
        spec: request.spec,
        grant,
        enabled: request.enabled,
    };
    let outcome = store.create_schedule(&wanted, new_grant.as_ref()).await?;
    if let CreateScheduleOutcome::Created(schedule) = &outcome {
        if new_grant.is_some()
            && let Some(grant) = store.grant(&by.workspace, schedule.grant).await?
        {
            made_grant(store, by, &grant).await;
        }
        by.did(store, "schedule.create", &schedule.id, detail(told(schedule))).await;
    }
    Ok(outcome)
}

/// A grant for whoever asks: on their behalf, for this task alone, paid for by the workspace.
pub(super) fn own_grant(by: &By, task: &TaskName) -> Result<GrantRequest> {
    let unnamed = |error: crate::run::InvalidName| StoreError::Corrupt(error.to_string());
    Ok(GrantRequest {
        user: UserName::parse(by.name.as_str()).map_err(unnamed)?,
        billing_account: BillingAccount::parse(by.workspace.as_str()).map_err(unnamed)?,
        scopes: Scopes::only(task),
        expires_at: None,
    })
}

/// What the audit log says of a schedule: not its payload, which may hold anything.
pub(super) fn told(schedule: &Schedule) -> serde_json::Value {
    serde_json::json!({
        "name": schedule.spec.name, "task": schedule.spec.task, "timing": schedule.spec.timing,
        "grant": schedule.grant, "enabled": schedule.disabled.is_none(), "version": schedule.version,
    })
}
