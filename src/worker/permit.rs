//! Whether an attempt may start: asked once more right before it does, since its grant may have been revoked after the
//! claim.

use std::borrow::Cow;
use std::time::Duration;

use crate::executor::{Completion, Work};
use crate::run::lifecycle::Retry;
use crate::run::{Run, RunError};
use crate::schedule::REFUSALS;
use crate::store::Store;

/// How long to wait before a store that did not answer is asked again. Whoever asks gives up when the lease ends.
const AGAIN: Duration = Duration::from_secs(1);

/// The work, with the identity it runs under; or why it must not start.
pub(super) async fn permit<'w>(store: &dyn Store, run: &Run, work: &'w Work) -> Result<Cow<'w, Work>, Completion> {
    let Some(scheduled) = run.scheduled else { return Ok(Cow::Borrowed(work)) };
    let checked = loop {
        match store.check_grant(&run.workspace, scheduled.grant, &run.task).await {
            Ok(checked) => break checked,
            Err(error) => {
                tracing::warn!(%error, "cannot check whether the grant is still valid; retrying");
                tokio::time::sleep(AGAIN).await;
            }
        }
    };
    let refused = |error| Err(Completion::Failed { error, retry: Retry::Never });
    let Some(checked) = checked else { return refused(RunError::new("grant_revoked", "its grant no longer exists")) };
    match checked.grant.refusal_by(checked.standing, &run.task) {
        Some(error) => refused(error),
        None => Ok(Cow::Owned(Work { grant: Some(checked.grant), ..work.clone() })),
    }
}

/// What work says of its failure, without the codes that only a refusal has.
pub(super) fn own_words(completion: Completion) -> Completion {
    match completion {
        Completion::Failed { error, retry } if REFUSALS.contains(&error.code.as_str()) => {
            let code = format!("task_{}", error.code);
            Completion::Failed { error: RunError { code, ..error }, retry }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use jiff::{SignedDuration, Timestamp};

    use super::*;
    use crate::clock::{Clock, ManualClock};
    use crate::run::lifecycle::Taker;
    use crate::run::{GrantId, HostName, Json, Priority, QueueName, ScheduleId, TaskName, WorkerId, WorkspaceName};
    use crate::schedule::{
        BillingAccount, NewGrant, NewSchedule, Overlap, ScheduleName, ScheduleSpec, Scopes, Timing, UserName,
    };
    use crate::store::memory::MemoryStore;
    use crate::store::{ClaimRequest, Schedules};

    #[tokio::test]
    async fn what_was_revoked_between_the_claim_and_the_start_does_not_start() {
        let clock = ManualClock::starting_at(Timestamp::UNIX_EPOCH);
        let store = MemoryStore::new(Clock::Manual(clock.clone()));
        let (run, grant) = claimed_slot(&store, &clock).await;
        let work = crate::worker::attempt::work_of(&run);
        let permitted = permit(&store, &run, &work).await.map(|work| work.grant.clone().map(|grant| grant.id));
        assert_eq!(permitted, Ok(Some(grant)));
        store.revoke_grant(&WorkspaceName::default(), grant).await.expect("revoked");
        match permit(&store, &run, &work).await {
            Err(Completion::Failed { error, retry: Retry::Never }) => assert_eq!(error.code, "grant_revoked"),
            other => panic!("permitted: {other:?}"),
        }
    }

    /// The run of a slot, claimed while its grant was good.
    async fn claimed_slot(store: &MemoryStore, clock: &ManualClock) -> (Run, GrantId) {
        let name = |text: &str| text.to_owned();
        let task = TaskName::parse("work").expect("a name");
        let grant = NewGrant {
            id: GrantId::new(),
            workspace: WorkspaceName::default(),
            user: UserName::parse(name("ada")).expect("a name"),
            billing_account: BillingAccount::parse(name("acme")).expect("a name"),
            scopes: Scopes::only(&task),
            expires_at: None,
        };
        let spec = ScheduleSpec {
            name: ScheduleName::parse(name("once")).expect("a name"),
            timing: Timing::Once { at: clock.now() + SignedDuration::from_secs(1) },
            overlap: Overlap::Forbid,
            catch_up_limit: 0,
            start_within_seconds: None,
            jitter_seconds: 0,
            task,
            payload: Json::null(),
            queue: QueueName::default(),
            lane: None,
            priority: Priority::default(),
            max_attempts: NonZeroU16::MIN,
            timeout_seconds: None,
            retry: None,
            metadata: None,
        };
        let workspace = WorkspaceName::default();
        let schedule = NewSchedule { id: ScheduleId::new(), workspace, spec, grant: grant.id, enabled: true };
        store.create_schedule(&schedule, Some(&grant)).await.expect("a schedule");
        clock.advance(SignedDuration::from_secs(1));
        store.promote(10).await.expect("promoted");
        let request =
            ClaimRequest::of(Taker { worker: WorkerId::new(), host: HostName::parse("here").expect("a name") }, 1);
        let claimed = store.claim(&request).await.expect("claimed").runs.remove(0);
        (claimed.run, grant.id)
    }
}
