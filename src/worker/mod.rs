//! Claims runs, executes them, finishes them.
//!
//! One task claims for all slots, one renews all leases, and outcomes and events are written in batches: however many slots there
//! are, the database sees one call of each kind at a time, and two that end attempts.

mod absent;
mod ahead;
mod attempt;
mod batcher;
mod builder;
mod claimer;
mod demo;
mod direct;
mod drain;
mod heartbeat;
mod outcomes;
mod permit;
mod renewals;
mod reporter;
mod settings;
mod slot_queue;
mod slots;
mod tasks;
mod telemetry;
mod trace;

pub use builder::{Builder, InvalidWorker};
pub use demo::{DEMO_TASKS, demo_tasks, with_demo_tasks};
pub use drain::Summary;
pub use settings::{HandOver, Served, Settings};
pub use tasks::{AtShutdown, Task, TaskSet, Tasks};
pub use telemetry::describe as describe_metrics;

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use self::ahead::AheadPolicy;
use self::batcher::Batcher;
use self::claimer::Backlog;
use self::drain::Tally;
use self::outcomes::Ended;
use self::reporter::Entry;
use self::slots::Slots;
use self::telemetry::Meters;
use crate::actions::{DirectSlots, EndSignal};
use crate::maintenance::Maintenance;
use crate::run::WorkerId;
use crate::run::lifecycle::Taker;
use crate::store::{AppendOutcome, FinishOutcome, ReleaseLease, Store};

/// How long the store may take to hear that the worker has left.
const LAST_BEAT: Duration = Duration::from_secs(1);

/// A process's share of the work.
pub struct Worker {
    inner: Arc<Inner>,
}

/// What the parts of a worker share.
struct Inner {
    id: WorkerId,
    store: Arc<dyn Store>,
    settings: Settings,
    tasks: Tasks,
    /// Unless somebody else sees to it.
    maintenance: Option<Arc<Maintenance>>,
    slots: Slots,
    ahead: Arc<AheadPolicy>,
    finishes: Batcher<Ended, FinishOutcome>,
    releases: Batcher<ReleaseLease, FinishOutcome>,
    events: Batcher<Entry, AppendOutcome>,
    attempts: TaskTracker,
    tally: Tally,
    meters: Meters,
    backlog: Backlog,
    ended: EndSignal,
}

impl Worker {
    /// A worker on a store, to be told what it can do.
    pub fn builder(store: Arc<dyn Store>) -> Builder {
        Builder::new(store)
    }

    /// Its id, new at every start.
    pub fn id(&self) -> WorkerId {
        self.inner.id
    }

    /// What it can do, to be looked at or exchanged while it works.
    pub fn tasks(&self) -> Tasks {
        self.inner.tasks.clone()
    }

    /// Tells of runs that end in this worker.
    pub fn ended(&self) -> EndSignal {
        self.inner.ended.clone()
    }

    /// Its slots, to be set aside for runs that are about to be submitted.
    pub fn direct_slots(&self) -> Arc<dyn DirectSlots> {
        Arc::new(direct::Direct(Arc::clone(&self.inner)))
    }

    /// Works until told to stop, by the token or by a drain request in the store; then sees to what is under way.
    /// Runs maintenance as well, unless built [`without_maintenance`](Builder::without_maintenance).
    pub async fn run(&self, stop: CancellationToken) -> Summary {
        let inner = &self.inner;
        tracing::info!(worker = %inner.id, host = %inner.settings.host, slots = inner.settings.concurrency, "the worker has started");
        inner.slots.open();
        let drain = stop.child_token();
        let _closing = Closing(inner);
        // They end with this call, however it does.
        let _renewing = AbortOnDropHandle::new(tokio::spawn(renewals::renew_leases(Arc::clone(inner))));
        let over = CancellationToken::new();
        let beating =
            AbortOnDropHandle::new(tokio::spawn(heartbeat::beat(Arc::clone(inner), drain.clone(), over.clone())));
        let _maintaining = inner.maintenance.clone().map(|maintenance| {
            AbortOnDropHandle::new(tokio::spawn(async move { maintenance.run(CancellationToken::new()).await }))
        });
        // Tasks of their own, too: what a claim gets is started by the thread that got it, whoever polls this.
        let _sweeping = AbortOnDropHandle::new(tokio::spawn(ahead::give_back_late(Arc::clone(inner))));
        let claiming = AbortOnDropHandle::new(tokio::spawn(claimer::claim_until(Arc::clone(inner), drain.clone())));
        // Told to stop, it takes nothing over, even while a last claim is waited for.
        let told = async {
            drain.cancelled().await;
            inner.close();
            std::future::pending().await
        };
        let claimed = tokio::select! {
            claimed = claiming => claimed,
            never = told => never,
        };
        if let Err(error) = claimed
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
        inner.close();
        let summary = drain::drain(inner).await;
        over.cancel();
        // A store that does not answer keeps nobody from leaving.
        let _ = tokio::time::timeout(LAST_BEAT, beating).await;
        tracing::info!(worker = %inner.id, %summary, "the worker has stopped");
        summary
    }
}

/// However a worker ends, nothing is begun in its slots from then on.
struct Closing<'a>(&'a Arc<Inner>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Inner {
    /// Begins nothing more but what was claimed to run at once, and gives back what was leased ahead.
    fn close(self: &Arc<Self>) {
        attempt::give_back(self, self.slots.close());
    }

    /// Whether a claim may piggyback on stored outcomes. Not where a queue has a limit in this worker: then the claimer shares the
    /// slots out.
    fn takes_over(&self) -> bool {
        let limited = self.settings.queues.iter().any(|served| served.concurrency.is_some());
        !limited && !self.slots.is_closed() && !self.slots.any_reserved() && self.has_tasks()
    }

    /// One without tasks claims nothing: it could only give it back.
    fn has_tasks(&self) -> bool {
        !self.tasks.shared_names().is_empty()
    }

    fn taker(&self) -> Taker {
        Taker { worker: self.id, host: self.settings.host.clone() }
    }
}
