//! Grants: what a schedule's runs may do is asked again at every start.

use std::num::{NonZeroU16, NonZeroU32};

use jiff::Timestamp;

use super::prelude::*;
use crate::run::{GrantId, Priority, QueueName, ScheduleId, WorkspaceName};
use crate::schedule::{
    BillingAccount, Grant, NewGrant, NewSchedule, Overlap, Schedule, ScheduleName, ScheduleSpec, Scopes, Skip,
    Standing, Timing, UserName,
};
use crate::store::{
    CreateGrantOutcome, CreateScheduleOutcome, EditScheduleOutcome, RevokeGrantOutcome, ScheduleEdit, ScheduleFilter,
};

pub(super) async fn a_grant_is_kept_as_it_was_made(bench: Bench) {
    let request = NewGrant { expires_at: Some(bench.ahead(60)), ..a_grant(&home(), &["work", "mail.*"]) };
    let expected = Grant::new(&request, bench.now());
    assert_eq!(
        bench.store.create_grant(&request).await.expect("answers"),
        CreateGrantOutcome::Created(expected.clone())
    );
    assert_eq!(bench.store.grant(&home(), request.id).await.expect("answers"), Some(expected));
    assert_eq!(bench.store.create_grant(&request).await.expect("answers"), CreateGrantOutcome::DuplicateId);
}

pub(super) async fn a_foreign_grant_is_as_good_as_none(bench: Bench) {
    let other = bench.workspace("other").await;
    let grant = bench.grant(&["*"]).await;
    assert_eq!(bench.store.grant(&other, grant).await.expect("answers"), None);
    assert_eq!(bench.store.revoke_grant(&other, grant).await.expect("answers"), RevokeGrantOutcome::NotFound);
    let refused = bench.try_schedule(a_schedule().every(60).of("other").under(grant)).await;
    assert_eq!(refused, CreateScheduleOutcome::UnknownGrant);
    let nowhere = a_grant(&workspace("nowhere"), &["*"]);
    assert_eq!(bench.store.create_grant(&nowhere).await.expect("answers"), CreateGrantOutcome::UnknownWorkspace);
}

pub(super) async fn a_grant_is_checked_by_the_stores_clock(bench: Bench) {
    let request = NewGrant { expires_at: Some(bench.ahead(60)), ..a_grant(&home(), &["work"]) };
    bench.store.create_grant(&request).await.expect("answers");
    assert_eq!(bench.standing(request.id, "work").await, Some(Standing::Good));
    assert_eq!(bench.standing(request.id, "other").await, Some(Standing::OutOfScope));
    bench.wait(60);
    assert_eq!(bench.standing(request.id, "work").await, Some(Standing::Expired));
    assert_eq!(bench.standing(GrantId::new(), "work").await, None);
}

pub(super) async fn a_grant_is_revoked_once(bench: Bench) {
    let grant = bench.grant(&["*"]).await;
    bench.wait(5);
    let revoked = bench.store.revoke_grant(&home(), grant).await.expect("answers");
    assert!(
        matches!(&revoked, RevokeGrantOutcome::Revoked(grant) if grant.revoked_at == Some(bench.now())),
        "{revoked:?}"
    );
    bench.wait(5);
    let again = bench.store.revoke_grant(&home(), grant).await.expect("answers");
    assert!(matches!(&again, RevokeGrantOutcome::AlreadyRevoked(grant) if grant.revoked_at < Some(bench.now())));
    assert_eq!(bench.standing(grant, "work").await, Some(Standing::Revoked));
}

pub(super) async fn grants_are_listed_newest_first_in_pages(bench: Bench) {
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.insert(0, bench.grant(&["*"]).await);
    }
    let first = bench.store.grants(&home(), &Page::first(2)).await.expect("answers");
    let rest = Page { limit: 2, after: first.next };
    let rest = bench.store.grants(&home(), &rest).await.expect("answers");
    let seen: Vec<GrantId> = first.data.iter().chain(&rest.data).map(|grant| grant.id).collect();
    assert_eq!((seen, rest.next), (ids, None));
}

pub(super) async fn a_schedule_needs_a_grant_for_its_task(bench: Bench) {
    let grant = bench.grant(&["mail.*"]).await;
    let refused = bench.try_schedule(a_schedule().every(60).under(grant)).await;
    assert_eq!(refused, CreateScheduleOutcome::GrantRefused(Standing::OutOfScope));
    assert_eq!(bench.everything_scheduled().await, []);
    let refused = bench.try_schedule(a_schedule().every(60).under(GrantId::new())).await;
    assert_eq!(refused, CreateScheduleOutcome::UnknownGrant);
}

pub(super) async fn a_revoked_grant_starts_nothing_and_ends_its_schedule(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    bench.store.revoke_grant(&home(), schedule.grant).await.expect("answers");
    bench.wait(60);
    bench.promote().await;
    bench.nothing_to_claim().await;
    let runs = bench.runs_of_schedule(&schedule).await;
    let [run] = &runs[..] else { panic!("one run: {runs:?}") };
    assert_eq!(
        (run.status(), run.error.clone().map(|error| error.code).as_deref()),
        (Status::Failed, Some("grant_revoked"))
    );
    let seen = bench.see(&schedule).await;
    assert_eq!(seen.disabled.map(|reason| reason.code).as_deref(), Some("grant_revoked"));
    assert_eq!(bench.store.sweep_schedules(10).await.expect("answers"), [], "a schedule that is off is not broken");
}

pub(super) async fn an_expired_grant_starts_nothing_and_ends_its_schedule(bench: Bench) {
    let request = NewGrant { expires_at: Some(bench.ahead(90)), ..a_grant(&home(), &["*"]) };
    let schedule = bench.schedule(a_schedule().every(60).with_new(request)).await;
    let first = bench.start_slot(60).await;
    bench.wait(29);
    bench.succeed(&first).await;
    bench.wait(31);
    bench.promote().await;
    bench.nothing_to_claim().await;
    assert_eq!(bench.see(&schedule).await.disabled.map(|reason| reason.code).as_deref(), Some("grant_expired"));
}

pub(super) async fn a_retry_needs_the_grant_as_well(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let first = bench.start_slot(60).await;
    bench.fail(&first).await;
    bench.store.revoke_grant(&home(), schedule.grant).await.expect("answers");
    bench.wait_for_retry().await;
    bench.nothing_to_claim().await;
    assert_eq!(bench.status(first.run.id).await, Status::Failed);
}

pub(super) async fn a_schedule_that_lost_its_grant_goes_on_under_another(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    bench.store.revoke_grant(&home(), schedule.grant).await.expect("answers");
    bench.wait(60);
    bench.promote().await;
    bench.nothing_to_claim().await;
    let seen = bench.see(&schedule).await;
    assert_eq!(bench.try_set_enabled(&seen, true).await, EditScheduleOutcome::GrantRefused(Standing::Revoked));
    let grant = bench.grant(&["*"]).await;
    let edit = ScheduleEdit { version: seen.version, spec: seen.spec.clone(), grant, enabled: true };
    bench.store.edit_schedule(&home(), schedule.id, &edit, None).await.expect("answers");
    assert_eq!(bench.start_slot(60).await.run.scheduled.map(|scheduled| scheduled.grant), Some(grant));
}

pub(super) async fn an_edit_makes_its_grant_or_nothing(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let edit = |version, spec: &ScheduleSpec, grant: &NewGrant| {
        let edit = ScheduleEdit { version, spec: spec.clone(), grant: grant.id, enabled: true };
        let (store, id, grant) = (&bench.store, schedule.id, grant.clone());
        async move { store.edit_schedule(&home(), id, &edit, Some(&grant)).await.expect("answers") }
    };
    let (good, other) = (a_grant(&home(), &["*"]), a_grant(&home(), &["mail.*"]));
    let over = ScheduleSpec { timing: Timing::Once { at: bench.ahead(-60) }, ..schedule.spec.clone() };
    assert_eq!(edit(schedule.version + 1, &schedule.spec, &good).await, EditScheduleOutcome::Outdated);
    let refused = edit(schedule.version, &schedule.spec, &other).await;
    assert_eq!(refused, EditScheduleOutcome::GrantRefused(Standing::OutOfScope));
    assert_eq!(edit(schedule.version, &over, &good).await, EditScheduleOutcome::NoSlots);
    for grant in [&good, &other] {
        assert_eq!(bench.store.grant(&home(), grant.id).await.expect("answers"), None, "none is left behind");
    }
    assert_eq!(bench.see(&schedule).await, schedule);
    let edited = edit(schedule.version, &schedule.spec, &good).await;
    assert_eq!(edited, EditScheduleOutcome::Edited(bench.see(&schedule).await));
    let made = bench.store.grant(&home(), good.id).await.expect("answers");
    assert_eq!(made, Some(Grant::new(&good, bench.now())));
    assert_eq!(bench.see(&schedule).await.grant, good.id);
    let again = ScheduleSpec { jitter_seconds: 1, ..schedule.spec.clone() };
    assert_eq!(edit(schedule.version + 1, &again, &good).await, EditScheduleOutcome::DuplicateGrant);
}

pub(super) async fn a_run_under_an_old_grant_says_nothing_of_the_new_one(bench: Bench) {
    let schedule = bench.schedule(a_schedule().every(60)).await;
    let first = bench.start_slot(60).await;
    bench.fail(&first).await;
    bench.store.revoke_grant(&home(), schedule.grant).await.expect("answers");
    let seen = bench.see(&schedule).await;
    let grant = bench.grant(&["*"]).await;
    let edit = ScheduleEdit { version: seen.version, spec: seen.spec.clone(), grant, enabled: true };
    bench.store.edit_schedule(&home(), schedule.id, &edit, None).await.expect("answers");
    bench.wait_for_retry().await;
    bench.nothing_to_claim().await;
    assert_eq!(bench.status(first.run.id).await, Status::Failed);
    assert_eq!(bench.see(&schedule).await.disabled, None);
    bench.waiting_run(&schedule).await;
}

pub(super) async fn schedules_are_found_by_their_grant(bench: Bench) {
    let grant = bench.grant(&["*"]).await;
    let ours = bench.schedule(a_schedule().every(60).under(grant)).await;
    bench.schedule(a_schedule().every(60)).await;
    let filter = ScheduleFilter { grant: Some(grant) };
    let found = bench.store.schedules(&home(), &filter, &Page::first(10)).await.expect("answers").data;
    assert_eq!(found.iter().map(|schedule| schedule.id).collect::<Vec<_>>(), [ours.id]);
}

pub(super) fn a_grant(workspace: &WorkspaceName, scopes: &[&str]) -> NewGrant {
    NewGrant {
        id: GrantId::new(),
        workspace: workspace.clone(),
        user: UserName::parse("ada").expect("a name"),
        billing_account: BillingAccount::parse("acme").expect("a name"),
        scopes: Scopes::parse(scopes.iter().map(ToString::to_string).collect()).expect("scopes"),
        expires_at: None,
    }
}

/// A request for a schedule. Start from [`a_schedule`].
pub(super) struct ASchedule {
    spec: ScheduleSpec,
    enabled: bool,
    workspace: WorkspaceName,
    grant: Option<GrantId>,
    new_grant: Option<NewGrant>,
}

/// Of the task `work` in the default workspace, under a grant of its own. Each has another name.
pub(super) fn a_schedule() -> ASchedule {
    let spec = ScheduleSpec {
        name: ScheduleName::parse(format!("a schedule {}", ScheduleId::new())).expect("a name"),
        timing: Timing::Once { at: Timestamp::MAX },
        overlap: Overlap::Forbid,
        catch_up_limit: 0,
        start_within_seconds: None,
        jitter_seconds: 0,
        task: task("work"),
        payload: json(r#"{"n":1}"#),
        queue: QueueName::default(),
        lane: None,
        priority: Priority::default(),
        max_attempts: NonZeroU16::MIN.saturating_add(2),
        timeout_seconds: None,
        retry: None,
        metadata: None,
    };
    ASchedule { spec, enabled: true, workspace: home(), grant: None, new_grant: None }
}

pub(super) fn schedule_name(name: &str) -> ScheduleName {
    ScheduleName::parse(name).expect("a name")
}

impl ASchedule {
    pub(super) fn named(mut self, name: &str) -> Self {
        self.spec.name = schedule_name(name);
        self
    }

    pub(super) fn timing(mut self, timing: Timing) -> Self {
        self.spec.timing = timing;
        self
    }

    /// From the start of the bench's clock on.
    pub(super) fn every(self, seconds: u32) -> Self {
        self.timing(Timing::Every { seconds: NonZeroU32::new(seconds).expect("seconds"), from: START })
    }

    pub(super) fn overlap(mut self, overlap: Overlap) -> Self {
        self.spec.overlap = overlap;
        self
    }

    pub(super) fn catch_up(mut self, limit: u16) -> Self {
        self.spec.catch_up_limit = limit;
        self
    }

    pub(super) fn deadline(mut self, seconds: u32) -> Self {
        self.spec.start_within_seconds = NonZeroU32::new(seconds);
        self
    }

    pub(super) fn jitter(mut self, seconds: u32) -> Self {
        self.spec.jitter_seconds = seconds;
        self
    }

    pub(super) fn attempts(mut self, attempts: u16) -> Self {
        self.spec.max_attempts = NonZeroU16::new(attempts).expect("attempts");
        self
    }

    pub(super) fn timeout(mut self, seconds: u32) -> Self {
        self.spec.timeout_seconds = NonZeroU32::new(seconds);
        self
    }

    pub(super) fn of(mut self, name: &str) -> Self {
        self.workspace = workspace(name);
        self
    }

    pub(super) fn paused(mut self) -> Self {
        self.enabled = false;
        self
    }

    pub(super) fn under(mut self, grant: GrantId) -> Self {
        self.grant = Some(grant);
        self
    }

    pub(super) fn with_new(mut self, grant: NewGrant) -> Self {
        self.new_grant = Some(grant);
        self
    }
}

impl Bench {
    pub(super) async fn grant(&self, scopes: &[&str]) -> GrantId {
        let request = a_grant(&home(), scopes);
        self.store.create_grant(&request).await.expect("create_grant answers");
        request.id
    }

    async fn standing(&self, grant: GrantId, name: &str) -> Option<Standing> {
        let checked = self.store.check_grant(&home(), grant, &task(name)).await.expect("check_grant answers");
        checked.map(|checked| checked.standing)
    }

    /// Makes a schedule that must be made.
    pub(super) async fn schedule(&self, wanted: ASchedule) -> Schedule {
        match self.try_schedule(wanted).await {
            CreateScheduleOutcome::Created(schedule) => schedule,
            other => panic!("not created: {other:?}"),
        }
    }

    pub(super) async fn try_schedule(&self, wanted: ASchedule) -> CreateScheduleOutcome {
        let new_grant = match wanted.grant {
            Some(_) => None,
            None => Some(wanted.new_grant.unwrap_or_else(|| a_grant(&wanted.workspace, &["*"]))),
        };
        let grant = wanted.grant.or(new_grant.as_ref().map(|grant| grant.id)).expect("a grant");
        let request = NewSchedule {
            id: ScheduleId::new(),
            workspace: wanted.workspace,
            spec: wanted.spec,
            grant,
            enabled: wanted.enabled,
        };
        self.store.create_schedule(&request, new_grant.as_ref()).await.expect("create_schedule answers")
    }

    pub(super) async fn see(&self, schedule: &Schedule) -> Schedule {
        self.store.schedule(&schedule.workspace, schedule.id).await.expect("schedule answers").expect("it is there")
    }

    pub(super) async fn edit(&self, schedule: &Schedule, spec: ScheduleSpec) -> Schedule {
        let enabled = schedule.disabled.is_none();
        let edit = ScheduleEdit { version: schedule.version, spec, grant: schedule.grant, enabled };
        match self
            .store
            .edit_schedule(&schedule.workspace, schedule.id, &edit, None)
            .await
            .expect("edit_schedule answers")
        {
            EditScheduleOutcome::Edited(schedule) | EditScheduleOutcome::Unchanged(schedule) => schedule,
            other => panic!("not edited: {other:?}"),
        }
    }

    pub(super) async fn try_set_enabled(&self, schedule: &Schedule, enabled: bool) -> EditScheduleOutcome {
        let Schedule { version, spec, grant, .. } = schedule.clone();
        let edit = ScheduleEdit { version, spec, grant, enabled };
        self.store.edit_schedule(&schedule.workspace, schedule.id, &edit, None).await.expect("edit_schedule answers")
    }

    pub(super) async fn set_enabled(&self, schedule: &Schedule, enabled: bool) -> Schedule {
        match self.try_set_enabled(schedule, enabled).await {
            EditScheduleOutcome::Edited(schedule) => schedule,
            other => panic!("not edited: {other:?}"),
        }
    }

    pub(super) async fn delete(&self, schedule: &Schedule) -> bool {
        self.store.delete_schedule(&schedule.workspace, schedule.id).await.expect("delete_schedule answers")
    }

    async fn everything_scheduled(&self) -> Vec<Schedule> {
        self.store.schedules(&home(), &Default::default(), &Page::first(100)).await.expect("schedules answers").data
    }

    pub(super) async fn skips_of(&self, schedule: &Schedule) -> Vec<Skip> {
        let page = Page::first(100);
        self.store.skips(&schedule.workspace, schedule.id, &page).await.expect("skips answers").data
    }

    /// The runs of a schedule, newest first.
    pub(super) async fn runs_of_schedule(&self, schedule: &Schedule) -> Vec<Run> {
        let filter = RunFilter { schedule: Some(schedule.id), ..RunFilter::default() };
        self.store.runs(&schedule.workspace, &filter, &Page::first(100)).await.expect("runs answers").data
    }

    /// Those that have not started.
    pub(super) async fn waiting_runs(&self, schedule: &Schedule) -> Vec<Run> {
        let runs = self.runs_of_schedule(schedule).await;
        runs.into_iter().filter(|run| !run.status().is_terminal() && run.started_at.is_none()).collect()
    }

    pub(super) async fn waiting_run(&self, schedule: &Schedule) -> Run {
        let mut waiting = self.waiting_runs(schedule).await;
        assert_eq!(waiting.len(), 1, "one run waits: {waiting:?}");
        waiting.remove(0)
    }

    /// Waits for a slot so many seconds away and claims its run.
    pub(super) async fn start_slot(&self, secs: i64) -> Claimed {
        self.wait(secs);
        self.promote().await;
        self.claim_one(&a_worker()).await
    }
}
