//! One actor who does, step by step, everything that a broken statement would get wrong. No luck is involved: the
//! clock is moved by hand.

use std::sync::Arc;

use jiff::SignedDuration;
use runlane::clock::{Clock, ManualClock};
use runlane::run::lifecycle::{Command, Outcome, Release, Retry, Taker};
use runlane::run::{
    HostName, Idempotency, IdempotencyKey, Json, KeyMode, LaneName, NewRun, QueueName, RunError, RunId, RunKey,
    TaskName, WorkerId, WorkspaceName,
};
use runlane::store::Wrapped;
use runlane::store::checker::{Log, Recorder, Recording};
use runlane::store::{
    Admission, Ahead, Append, ClaimRequest, EventKind, Finish, Lease, NewEvent, QueueChange, ReleaseLease, Store,
};

const TTL: SignedDuration = SignedDuration::from_secs(30);
const NO_LIMIT: Admission = Admission { queue_size: None };

/// Plays all scenes on an empty store that follows `clock`.
pub(crate) async fn scenario(store: Arc<dyn Store>, clock: ManualClock) -> Recording {
    let log = Log::in_memory(Clock::Manual(clock.clone()));
    let stage = Stage { store: Recorder::new(store, "scenario", log.clone()), clock };
    stage.writes_after_expiry().await;
    stage.writes_under_an_old_epoch().await;
    stage.takeover_by_another_host().await;
    stage.a_lane().await;
    stage.a_limit_and_a_pause().await;
    stage.a_run_that_succeeds_in_the_end().await;
    stage.a_run_that_fails_for_good().await;
    stage.a_run_cancelled_while_it_waits().await;
    stage.names().await;
    stage.a_full_queue().await;
    log.recording()
}

struct Stage {
    store: Wrapped<Recorder>,
    clock: ManualClock,
}

fn run() -> NewRun {
    NewRun::of(TaskName::parse("task").expect("a good name"), Json::null())
}

fn succeeded() -> Outcome {
    Outcome::Succeeded { output: None }
}

impl Stage {
    async fn submit(&self, runs: &[NewRun]) {
        let _ = self.store.submit(runs, NO_LIMIT).await;
    }

    async fn claim(&self, host: &str) -> Vec<Lease> {
        self.claim_as(host, None).await
    }

    async fn claim_ahead(&self) -> Vec<Lease> {
        self.claim_as("here", Some(Ahead { tasks: [run().task].into(), spare: 0 })).await
    }

    async fn claim_as(&self, host: &str, ahead: Option<Ahead>) -> Vec<Lease> {
        let request = ClaimRequest {
            ahead,
            lease_ttl: TTL,
            takeover_delay: SignedDuration::from_secs(60),
            ..ClaimRequest::of(Taker { worker: WorkerId::new(), host: HostName::parse(host).expect("a good name") }, 10)
        };
        // What a store could not do is in the recording.
        let claim = self.store.claim(&request).await.unwrap_or_default();
        claim.runs.iter().map(|claimed| claimed.lease()).collect()
    }

    async fn finish(&self, lease: Lease, outcome: Outcome) {
        let _ = self.store.finish(&[Finish::of(lease, outcome)]).await;
    }

    async fn command(&self, run: RunId, command: Command) {
        let _ = self.store.command(&WorkspaceName::default(), &[run], command, NO_LIMIT).await;
    }

    /// Ends whatever can be claimed, and so clears the stage.
    async fn clear(&self) {
        for _ in 0..20 {
            let leases = self.claim("here").await;
            for lease in &leases {
                self.finish(*lease, succeeded()).await;
            }
            if leases.is_empty() {
                return;
            }
        }
    }

    async fn lost(&self) -> Vec<Lease> {
        let leases = self.claim("here").await;
        self.clock.advance(TTL + SignedDuration::from_secs(1));
        leases
    }

    /// Each write about a run of its own, before anybody has noticed that the leases ran out.
    async fn writes_after_expiry(&self) {
        let kept = NewRun { lane: Some(LaneName::parse("late").expect("a good name")), ..run() };
        self.submit(&[run(), run(), run(), run(), kept]).await;
        let leases = self.lost().await;
        let event = NewEvent { kind: EventKind::Log, data: Json::null() };
        for (at, lease) in leases.into_iter().enumerate() {
            match at {
                0 => drop(self.store.renew(&[lease.into()], TTL).await),
                1 => drop(self.store.append(&[Append { lease, events: vec![event.clone()] }]).await),
                2 => drop(self.store.release(&[ReleaseLease { lease, how: Release::ToQueue }]).await),
                _ => self.finish(lease, succeeded()).await,
            }
        }
        let _ = self.store.reap(100).await;
        self.clear().await;
    }

    async fn writes_under_an_old_epoch(&self) {
        self.submit(&[run(), run()]).await;
        let old = self.lost().await;
        let _ = self.store.reap(100).await;
        let new = self.claim("here").await;
        for lease in &old {
            let _ = self.store.renew(&[(*lease).into()], TTL).await;
            self.finish(*lease, succeeded()).await;
        }
        for lease in new {
            self.finish(lease, succeeded()).await;
        }
        self.clear().await;
    }

    async fn takeover_by_another_host(&self) {
        self.submit(&[run()]).await;
        self.lost().await;
        let _ = self.store.reap(100).await;
        for lease in self.claim("there").await {
            self.finish(lease, succeeded()).await;
        }
        self.clear().await;
    }

    async fn a_lane(&self) {
        let lane = Some(LaneName::parse("lane").expect("a good name"));
        self.submit(&[NewRun { lane: lane.clone(), ..run() }, NewRun { lane: lane.clone(), ..run() }]).await;
        // A run of a lane is not leased ahead.
        let mut first = self.claim_ahead().await;
        first.extend(self.claim("here").await);
        // While one runs another comes in, which makes the store look at the lane again.
        self.submit(&[NewRun { lane, ..run() }]).await;
        let second = self.claim("here").await;
        for lease in first.into_iter().chain(second) {
            self.finish(lease, succeeded()).await;
        }
        self.clear().await;
    }

    async fn a_limit_and_a_pause(&self) {
        let (workspace, queue) = (WorkspaceName::default(), QueueName::parse("narrow").expect("a good name"));
        let set = |paused, limit| self.store.set_queue(&workspace, &queue, QueueChange { paused, concurrency: limit });
        let _ = set(None, Some(Some(1))).await;
        let narrow = || NewRun { queue: queue.clone(), ..run() };
        self.submit(&[narrow(), narrow(), narrow()]).await;
        let first = self.claim("here").await;
        let second = self.claim("here").await;
        let _ = set(Some(true), Some(None)).await;
        let third = self.claim("here").await;
        for lease in first.into_iter().chain(second).chain(third) {
            self.finish(lease, succeeded()).await;
        }
        let _ = set(Some(false), None).await;
        self.clear().await;
    }

    async fn a_run_that_succeeds_in_the_end(&self) {
        self.submit(&[run()]).await;
        self.fail_at_once().await;
        self.clear().await;
    }

    async fn a_run_that_fails_for_good(&self) {
        self.submit(&[NewRun { max_attempts: std::num::NonZeroU16::MIN, ..run() }]).await;
        for _ in 0..3 {
            self.fail_at_once().await;
        }
    }

    /// An attempt that fails, to be tried again without a wait.
    async fn fail_at_once(&self) {
        for lease in self.claim("here").await {
            let retry = Retry::After(SignedDuration::ZERO);
            self.finish(lease, Outcome::Failed { error: RunError::new("broken", "it broke"), retry }).await;
        }
    }

    async fn a_run_cancelled_while_it_waits(&self) {
        let run = run();
        self.submit(std::slice::from_ref(&run)).await;
        self.command(run.id, Command::Cancel).await;
        self.clear().await;
    }

    async fn names(&self) {
        let key = IdempotencyKey::parse("once").expect("a good name");
        let once = Idempotency { key, fingerprint: vec![1], ttl: SignedDuration::from_hours(24) };
        let same = || NewRun { idempotency: Some(once.clone()), ..run() };
        self.submit(&[same()]).await;
        self.submit(&[same()]).await;
        let key = RunKey::parse("key").expect("a good name");
        let keyed = || NewRun { key: Some((key.clone(), KeyMode::Keep)), ..run() };
        self.submit(&[keyed()]).await;
        self.submit(&[keyed()]).await;
        let twin = run();
        self.submit(std::slice::from_ref(&twin)).await;
        self.submit(&[twin]).await;
        self.clear().await;
    }

    async fn a_full_queue(&self) {
        for _ in 0..3 {
            let _ = self.store.submit(&[run()], Admission { queue_size: Some(2) }).await;
        }
        self.clear().await;
    }
}
