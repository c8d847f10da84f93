//! Each verb once, so that a broken statement shows here first and not in a long property test.

use jiff::SignedDuration;
use runlane::clock::Clock;
use runlane::run::lifecycle::{Command, CommandOutcome, Outcome, Release, Retry};
use runlane::run::{
    BlockedBy, Due, Idempotency, IdempotencyKey, Jitter, Json, KeyMode, LaneName, QueueName, RunError, RunId, RunKey,
    Status, WorkerId, WorkspaceName,
};
use runlane::store::{
    Admission, Append, AppendOutcome, Duty, EventKind, Finish, FinishOutcome, LanePolicy, NewEvent, Page, QueueChange,
    QueueSettings, ReleaseLease, Renewal, RerunOutcome, Retention, RunFilter, Store, SubmitOutcome, WorkerInfo,
};

use super::{Place, a_request, a_run, claim, noon, success};

const SECOND: SignedDuration = SignedDuration::from_secs(1);

fn failure(lease: runlane::store::Lease, retry: Retry) -> Finish {
    let outcome = Outcome::Failed { error: RunError::new("boom", "it broke"), retry };
    Finish::of(lease, outcome)
}

fn lane(name: &str) -> LaneName {
    LaneName::parse(name).expect("a name")
}

#[tokio::test]
async fn submission_knows_ids_keys_requests_and_room() {
    let (place, clock) = (Place::new(), noon());
    let store = place.open(Clock::Manual(clock.clone())).await;
    let submit = async |run: &runlane::run::NewRun, size| {
        store.submit(std::slice::from_ref(run), Admission { queue_size: size }).await.expect("a submission").remove(0)
    };
    let first = a_run();
    assert_eq!(submit(&first, None).await, SubmitOutcome::Created);
    assert_eq!(submit(&first, None).await, SubmitOutcome::DuplicateId);
    assert_eq!(submit(&a_run(), Some(1)).await, SubmitOutcome::QueueFull);
    let mut elsewhere = a_run();
    elsewhere.workspace = WorkspaceName::parse("elsewhere").expect("a name");
    assert_eq!(submit(&elsewhere, None).await, SubmitOutcome::UnknownWorkspace);
    assert!(store.create_workspace(&elsewhere.workspace).await.expect("a workspace"));
    assert!(!store.create_workspace(&elsewhere.workspace).await.expect("a workspace"));
    assert_eq!(submit(&elsewhere, None).await, SubmitOutcome::Created);
    assert_eq!(store.workspaces().await.expect("names").len(), 2);

    let keyed = |mode| {
        let mut run = a_run();
        run.key = Some((RunKey::parse("nightly").expect("a name"), mode));
        run
    };
    let original = keyed(KeyMode::Keep);
    assert_eq!(submit(&original, None).await, SubmitOutcome::Created);
    assert_eq!(submit(&keyed(KeyMode::Keep), None).await, SubmitOutcome::Kept(original.id));
    assert_eq!(submit(&keyed(KeyMode::Replace), None).await, SubmitOutcome::Replaced(original.id));

    let mut once = a_run();
    let (key, ttl) = (IdempotencyKey::parse("request").expect("a name"), SECOND);
    once.idempotency = Some(Idempotency { key: key.clone(), fingerprint: vec![1], ttl });
    assert_eq!(submit(&once, None).await, SubmitOutcome::Created);
    assert_eq!(submit(&once, None).await, SubmitOutcome::Existing(once.id));
    let mut other = a_run();
    other.idempotency = Some(Idempotency { key, fingerprint: vec![2], ttl });
    assert_eq!(submit(&other, None).await, SubmitOutcome::IdempotencyMismatch(once.id));
    clock.advance(SECOND);
    assert_eq!(submit(&other, None).await, SubmitOutcome::Created);
}

#[tokio::test]
async fn an_attempt_is_renewed_logged_retried_and_resumed() {
    let (place, clock) = (Place::new(), noon());
    let store = place.open(Clock::Manual(clock.clone())).await;
    let mut run = a_run();
    run.max_attempts = std::num::NonZeroU16::new(2).expect("two");
    store.submit(std::slice::from_ref(&run), Admission::default()).await.expect("a submission");
    let lease = claim(&store, 5).await.runs[0].lease();
    let renewed = store.renew(&[lease.into()], SECOND * 60).await.expect("a renewal");
    assert_eq!(renewed, [Renewal::Renewed { stop: None }]);
    let events = vec![NewEvent { kind: EventKind::Log, data: Json::null() }; 2];
    let appended = store.append(&[Append { lease, events }]).await.expect("events");
    assert_eq!(appended, [AppendOutcome::Appended { last: 2 }]);
    assert_eq!(store.events(&run.workspace, run.id, 1, 10).await.expect("events").expect("a run").len(), 1);

    let finished = store.finish(&[failure(lease, Retry::Backoff), success(lease)]).await.expect("outcomes");
    assert_eq!(finished, [FinishOutcome::Accepted(Status::Retrying), FinishOutcome::LeaseLost]);
    assert!(claim(&store, 5).await.runs.is_empty());
    clock.advance(SECOND);
    assert_eq!(store.promote(10).await.expect("a pass").runs, 1);
    let lease = claim(&store, 5).await.runs[0].lease();
    let finished = store.finish(&[failure(lease, Retry::Backoff)]).await.expect("an outcome");
    assert_eq!(finished, [FinishOutcome::Accepted(Status::Failed)]);
    assert_eq!(store.attempts(&run.workspace, run.id).await.expect("attempts").expect("a run").len(), 2);

    let command = async |command| {
        store.command(&run.workspace, &[run.id], command, Admission::default()).await.expect("a command").remove(0)
    };
    assert_eq!(command(Command::Resume).await, CommandOutcome::Resumed);
    assert_eq!(command(Command::Pause).await, CommandOutcome::Paused);
    assert_eq!(command(Command::Resume).await, CommandOutcome::Resumed);
    let again = claim(&store, 5).await.runs.remove(0);
    assert_eq!((again.run.attempt, again.run.max_attempts), (3, 4));
    assert_eq!(command(Command::Cancel).await, CommandOutcome::CancelRequested);
    let released = ReleaseLease { lease: again.lease(), how: Release::ToQueue };
    let released = store.release(&[released]).await.expect("a release");
    assert_eq!(released, [FinishOutcome::Accepted(Status::Cancelled)]);
    let id = RunId::new();
    let rerun = store.rerun(&run.workspace, run.id, id, Admission::default()).await.expect("a rerun");
    assert_eq!(rerun, RerunOutcome::Submitted(SubmitOutcome::Created));

    let counts = store.counts().await.expect("counts");
    assert_eq!((counts.len(), counts[0].status, counts[0].ready), (1, Status::Queued, 1));
    let filter = RunFilter { statuses: vec![Status::Cancelled, Status::Queued], ..RunFilter::default() };
    let listed = store.runs(&run.workspace, &filter, &Page::first(1)).await.expect("a page");
    assert_eq!((listed.data[0].id, listed.next), (id, Some(id)));
    let listed = store.runs(&run.workspace, &filter, &Page { limit: 1, after: Some(id) }).await.expect("a page");
    assert_eq!((listed.data[0].id, listed.next), (run.id, None));
    let all = store.runs(&run.workspace, &RunFilter::default(), &Page::first(9)).await.expect("a page");
    assert_eq!(all.data.len(), 2);
}

#[tokio::test]
async fn lanes_hold_and_let_go() {
    let (place, clock) = (Place::new(), noon());
    let store = place.open(Clock::Manual(clock)).await;
    let mut runs = [a_run(), a_run(), a_run()];
    let workspace = runs[0].workspace.clone();
    runs.iter_mut().for_each(|run| run.lane = Some(lane("a")));
    store.set_lane_policy(&workspace, &lane("a"), LanePolicy::Hold).await.expect("a policy");
    store.submit(&runs, Admission::default()).await.expect("a submission");
    let first = claim(&store, 5).await;
    assert_eq!(first.runs.iter().map(|claimed| claimed.run.id).collect::<Vec<_>>(), [runs[0].id]);
    let lanes = store.lanes(&workspace, None, &Page::first(5)).await.expect("lanes").data;
    assert_eq!((lanes[0].occupant, lanes[0].waiting), (Some(runs[0].id), 2));

    store.finish(&[failure(first.runs[0].lease(), Retry::Never)]).await.expect("an outcome");
    assert!(claim(&store, 5).await.runs.is_empty());
    let lanes = store.lanes(&workspace, None, &Page::first(5)).await.expect("lanes").data;
    assert_eq!((&lanes[0].held_by, lanes[0].occupant), (&vec![runs[0].id], None));
    assert_eq!(store.release_lane(&workspace, &lane("a")).await.expect("a release"), 1);
    let second = claim(&store, 5).await;
    assert_eq!(second.runs[0].run.id, runs[1].id);
    store.finish(&[success(second.runs[0].lease())]).await.expect("an outcome");
    assert_eq!(claim(&store, 5).await.runs[0].run.id, runs[2].id);
}

#[tokio::test]
async fn a_run_waits_for_another_of_the_same_batch() {
    let place = Place::new();
    let store = place.open(Clock::Database).await;
    let (first, mut second, mut third) = (a_run(), a_run(), a_run());
    let workspace = first.workspace.clone();
    second.after = vec![first.id];
    third.after = vec![second.id];
    let submitted = store.submit(&[first, second.clone(), third.clone()], Admission::default()).await;
    assert_eq!(submitted.expect("a submission"), [SubmitOutcome::Created; 3]);
    assert_eq!(store.waits(&workspace, third.id).await.expect("a read"), Some(vec![second.id]));
    let claimed = claim(&store, 5).await.runs;
    assert_eq!(claimed.len(), 1);
    store.finish(&[success(claimed[0].lease())]).await.expect("an outcome");
    let claimed = claim(&store, 5).await.runs;
    assert_eq!(claimed[0].run.id, second.id);
    store.finish(&[failure(claimed[0].lease(), Retry::Never)]).await.expect("an outcome");
    let told = store.run(&workspace, third.id).await.expect("a read").expect("a run");
    assert_eq!(told.error.map(|error| error.code).as_deref(), Some("upstream_failed"));
    let mut late = a_run();
    late.after = vec![third.id];
    store.submit(std::slice::from_ref(&late), Admission::default()).await.expect("a submission");
    let ended = store.run(&workspace, late.id).await.expect("a read").expect("a run");
    assert!(ended.status() == Status::Failed && ended.seq > told.seq);
}

#[tokio::test]
async fn a_replaced_run_waits_only_for_what_it_was_asked_last() {
    let place = Place::new();
    let store = place.open(Clock::Manual(noon())).await;
    let upstreams = [a_run(), a_run()];
    store.submit(&upstreams, Admission::default()).await.expect("a submission");
    let waiting = |upstream: RunId| {
        let mut run = a_run();
        run.key = Some((RunKey::parse("k").expect("a name"), KeyMode::Replace));
        run.after = vec![upstream];
        run
    };
    let (first, second) = (waiting(upstreams[0].id), waiting(upstreams[1].id));
    for run in [&first, &second, &second] {
        let mut run = run.clone();
        run.id = if run.id == first.id { first.id } else { RunId::new() };
        store.submit(&[run], Admission::default()).await.expect("a submission");
    }
    assert_eq!(store.waits(&first.workspace, first.id).await.expect("a read"), Some(vec![upstreams[1].id]));
}

#[tokio::test]
async fn a_key_passes_on_from_a_run_that_ends_in_the_same_batch() {
    let place = Place::new();
    let store = place.open(Clock::Manual(noon())).await;
    let cancelled = a_run();
    let keyed = || {
        let mut run = a_run();
        run.key = Some((RunKey::parse("k").expect("a name"), KeyMode::Replace));
        run
    };
    let first = keyed();
    store.submit(&[cancelled.clone(), first.clone()], Admission::default()).await.expect("a submission");
    store.command(&first.workspace, &[cancelled.id], Command::Cancel, Admission::default()).await.expect("a command");
    let (mut doomed, next) = (keyed(), keyed());
    doomed.after = vec![cancelled.id];
    let submitted = store.submit(&[doomed, next.clone()], Admission::default()).await.expect("a submission");
    assert_eq!(submitted, [SubmitOutcome::Replaced(first.id), SubmitOutcome::Created]);
    let status = async |id| store.run(&first.workspace, id).await.expect("a read").map(|run| run.status());
    assert_eq!((status(first.id).await, status(next.id).await), (Some(Status::Failed), Some(Status::Queued)));
}

#[tokio::test]
async fn queues_pause_and_limit() {
    let place = Place::new();
    let store = place.open(Clock::Database).await;
    let mut runs = [a_run(), a_run(), a_run()];
    let (workspace, other) = (runs[0].workspace.clone(), QueueName::parse("other").expect("a name"));
    runs[2].queue = other.clone();
    store.submit(&runs, Admission::default()).await.expect("a submission");
    let pause = QueueChange { paused: Some(true), concurrency: None };
    let paused = store.set_queue(&workspace, &other, pause).await.expect("settings");
    assert_eq!(paused, Some(QueueSettings { paused: true, concurrency: None }));
    let limit = QueueChange { paused: None, concurrency: Some(Some(1)) };
    store.set_queue(&workspace, &QueueName::default(), limit).await.expect("settings");
    let first = claim(&store, 5).await.runs;
    assert_eq!(first.len(), 1);
    assert!(claim(&store, 5).await.runs.is_empty());
    let queues = store.queues(&workspace).await.expect("queues");
    assert_eq!((queues[0].running, queues[0].waiting, queues[0].settings.concurrency), (1, 1, Some(1)));
    assert_eq!((queues[1].waiting, queues[1].settings.paused), (1, true));
    let resume = QueueChange { paused: Some(false), concurrency: None };
    store.set_queue(&workspace, &other, resume).await.expect("settings");
    let request = runlane::store::ClaimRequest { queues: vec![other], ..a_request(5) };
    assert_eq!(store.claim(&request).await.expect("a claim").runs[0].run.id, runs[2].id);
}

#[tokio::test]
async fn maintenance_reaps_promotes_expires_and_prunes() {
    let (place, clock) = (Place::new(), noon());
    let store = place.open(Clock::Manual(clock.clone())).await;
    let (mut limited, mut later) = (a_run(), a_run());
    limited.timeout_seconds = std::num::NonZeroU32::new(60);
    limited.max_attempts = std::num::NonZeroU16::MIN;
    later.due = Due::After(SECOND * 90);
    let workspace = limited.workspace.clone();
    store.submit(&[limited.clone(), later.clone()], Admission::default()).await.expect("a submission");
    let blocked = store.run(&workspace, later.id).await.expect("a read").expect("a run");
    assert_eq!(blocked.blocked_by(), Some(BlockedBy::AvailableAt));
    claim(&store, 5).await;
    clock.advance(SECOND * 30);
    assert_eq!(store.reap(10).await.expect("a pass"), [limited.id]);
    let adopted = claim(&store, 5).await.runs;
    assert!(adopted[0].adopted && adopted[0].run.epoch == 2);
    assert_eq!(store.promote(10).await.expect("a pass").runs, 0);
    clock.advance(SECOND * 60);
    assert_eq!(store.promote(10).await.expect("a pass").runs, 1);
    assert_eq!(store.expire(SECOND * 30, Jitter(0), 10).await.expect("a pass"), [limited.id]);
    let info = WorkerInfo {
        queues: vec![QueueName::default()],
        busy: 1,
        ..WorkerInfo::new(WorkerId::new(), a_request(1).taker.host, 4)
    };
    assert_eq!(store.heartbeat(&info).await.expect("a heartbeat"), Duty::Work);
    assert!(store.drain(info.id).await.expect("a drain").is_some_and(|worker| worker.draining));
    assert_eq!(store.drain(WorkerId::new()).await.expect("a drain"), None);
    assert_eq!(store.heartbeat(&info).await.expect("a heartbeat"), Duty::Drain);
    assert_eq!(store.workers().await.expect("workers")[0].info, info);
    clock.advance(SECOND);
    let pruned = store
        .prune(&Retention { finished: SECOND, workers: SECOND, audit: SECOND, usage: SECOND }, 10)
        .await
        .expect("a pass");
    assert_eq!((pruned.runs, pruned.workers), (1, 1));
    assert_eq!(store.run(&workspace, limited.id).await.expect("a read"), None);
}
