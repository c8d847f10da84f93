//! What keeps the queue in order: a table of passes and the only loop that runs them.
//!
//! Every pass may be run at any time, by any number of processes at once, and again after it was cut short.

mod passes;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use self::passes::describe as describe_metrics;

use self::passes::{PASSES, PROMOTE};
#[cfg(target_os = "linux")]
use crate::executor::process::ProcessHost;
use crate::store::{Result, Retention, Store};

/// Keeps a store, and what this machine keeps for it, in order.
pub struct Maintenance {
    store: Arc<dyn Store>,
    settings: RwLock<Settings>,
    /// Which counts were shown last, so that those that are no more are shown as none.
    shown: Mutex<HashSet<passes::Shown>>,
    /// The same for the tasks that no worker has.
    forsaken: Mutex<HashMap<passes::Forsaken, passes::Warned>>,
    #[cfg(target_os = "linux")]
    processes: Option<Arc<ProcessHost>>,
}

/// With which patience.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long what is over is kept.
    pub retention: Retention,
    /// How long past its time limit an attempt is ended by force: its worker stops it before, if it can.
    pub expire_grace: Duration,
    /// How long what finished processes leave behind is kept.
    pub leftovers: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        let days = |days: i64| jiff::SignedDuration::from_hours(24 * days);
        Self {
            retention: Retention { finished: days(30), workers: days(1), audit: days(400), usage: days(400) },
            // By then, work that nobody looks after has ended by itself: see the takeover delay of workers.
            expire_grace: Duration::from_secs(120),
            leftovers: Duration::from_secs(24 * 3600),
        }
    }
}

/// Every pass has been run once by then.
const START: Duration = Duration::from_secs(5);

/// Between two runs of a pass, unless it has more to do.
const SOON: Duration = Duration::from_millis(50);

/// One thing to do again and again.
struct Pass {
    name: &'static str,
    every: Duration,
    run: for<'a> fn(&'a Maintenance) -> BoxFuture<'a, Result<Next>>,
}

/// When a pass wants to run again.
enum Next {
    /// There is more to do.
    Now,
    /// As the table says.
    Usual,
    /// At the latest then.
    Within(Duration),
}

impl Maintenance {
    /// For a store.
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> Self {
        Self {
            store,
            settings: RwLock::new(settings),
            shown: Mutex::default(),
            forsaken: Mutex::default(),
            #[cfg(target_os = "linux")]
            processes: None,
        }
    }

    /// Also for what processes leave behind on this machine.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_processes(mut self, processes: Arc<ProcessHost>) -> Self {
        self.processes = Some(processes);
        self
    }

    /// With another patience from the next pass on.
    pub fn set(&self, settings: Settings) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }

    fn settings(&self) -> Settings {
        *self.settings.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs every pass whenever it is due, until told to stop.
    pub async fn run(&self, stop: CancellationToken) {
        let mut put_off = self.store.due_signal();
        // Not all at once, and not in step with other processes.
        let mut due: Vec<Instant> =
            PASSES.iter().map(|pass| Instant::now() + pass.every.min(START).mul_f64(fastrand::f64())).collect();
        loop {
            let (next, at) =
                due.iter().enumerate().min_by_key(|(_, at)| **at).map_or((0, Instant::now()), |d| (d.0, *d.1));
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep_until(at) => {
                    if next == PROMOTE {
                        put_off.clear();
                    }
                    due[next] = Instant::now() + self.pass(&PASSES[next]).await;
                }
                // A run that came in since is due before the pass would have looked.
                sooner = put_off.sooner_than(due[PROMOTE].into_std()) => due[PROMOTE] = sooner.into(),
            }
        }
    }

    /// Runs one pass; answers how long until the next time.
    async fn pass(&self, pass: &Pass) -> Duration {
        let usual = pass.every.mul_f64(0.9 + fastrand::f64() / 5.0);
        match (pass.run)(self).await {
            Ok(Next::Now) => Duration::ZERO,
            Ok(Next::Usual) => usual,
            // Somebody else may have what is due in hand just now.
            Ok(Next::Within(wait)) => usual.min(wait.max(SOON)),
            Err(error) => {
                tracing::warn!(pass = pass.name, %error, "a maintenance pass failed; it will run again");
                usual
            }
        }
    }
}
