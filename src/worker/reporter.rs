//! What the work says becomes events of its run, and what it uses up is counted against its limits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_trait::async_trait;
use serde_json::json;

use super::batcher::BatchCall;
use super::slots::{Slot, Why};
use super::{Inner, Task};
use crate::executor::{Gone, Report, Reporter, TimedReport};
use crate::run::{Json, WorkspaceName};
use crate::store::{Append, AppendOutcome, Claimed, Event, EventKind, Lease, NewEvent, Result, Store, StoreError};

/// How many events are read at a time when a successor catches up.
const PAGE: usize = 1000;

/// Events of one attempt, on their way to the store.
pub(super) struct Entry {
    workspace: WorkspaceName,
    append: Append,
    attempt: u32,
    /// The run's last event, as far as its reporter knows; nobody else adds any while the lease is held.
    after: Option<i64>,
}

/// The call that stores events.
pub(super) struct Events(pub(super) Arc<dyn Store>);

#[async_trait]
impl BatchCall<Entry, AppendOutcome> for Events {
    const NAME: &'static str = "append";

    /// Each may be hundreds of kilobytes, and their runs are locked until all are stored.
    const BATCH: usize = 16;

    async fn store(&self, batch: &[Entry]) -> Result<Vec<AppendOutcome>> {
        let appends: Vec<Append> = batch.iter().map(|entry| entry.append.clone()).collect();
        match self.0.append(&appends).await {
            Err(StoreError::Ambiguous(source)) => match self.committed(batch).await? {
                Some(answers) => Ok(answers),
                None => Err(StoreError::Ambiguous(source)),
            },
            answer => answer,
        }
    }
}

impl Events {
    /// The answers to a batch whose commit was not answered, if it was stored after all: then there are events that only
    /// it can have brought. One of its entries speaks for all.
    async fn committed(&self, batch: &[Entry]) -> Result<Option<Vec<AppendOutcome>>> {
        let mut found = Vec::new();
        for entry in batch {
            found.push(self.last_since(entry).await?);
        }
        if found.iter().all(Option::is_none) {
            return Ok(None);
        }
        let answer = |last: Option<i64>| last.map_or(AppendOutcome::LeaseLost, |last| AppendOutcome::Appended { last });
        Ok(Some(found.into_iter().map(answer).collect()))
    }

    /// The last event of the entry's attempt after what its reporter knows of; `None` if there is none.
    async fn last_since(&self, entry: &Entry) -> Result<Option<i64>> {
        let (mut after, mut found) = (entry.after.unwrap_or_default(), None);
        loop {
            let events =
                self.0.events(&entry.workspace, entry.append.lease.run, after, PAGE).await?.unwrap_or_default();
            let Some(last) = events.last() else { return Ok(found) };
            after = last.seq;
            let ours = events.iter().filter(|event| event.attempt == entry.attempt);
            found = ours.map(|event| event.seq).max().max(found);
        }
    }
}

/// Speaks for one attempt.
pub(super) struct SlotReporter {
    inner: Arc<Inner>,
    workspace: WorkspaceName,
    lease: Lease,
    attempt: u32,
    limits: BTreeMap<String, u64>,
    used: Mutex<BTreeMap<String, u64>>,
    slot: Mutex<Weak<Slot>>,
    /// Held while events are on their way, so that they are stored in the order in which they were said.
    last: tokio::sync::Mutex<Option<i64>>,
}

impl SlotReporter {
    pub(super) fn new(inner: &Arc<Inner>, claimed: &Claimed, task: &Task) -> Self {
        Self {
            inner: Arc::clone(inner),
            workspace: claimed.run.workspace.clone(),
            lease: claimed.lease(),
            attempt: claimed.run.attempt,
            limits: task.usage_limits.clone(),
            used: Mutex::default(),
            slot: Mutex::default(),
            last: tokio::sync::Mutex::default(),
        }
    }

    /// Names the slot to stop when a limit is exceeded.
    pub(super) fn watch(&self, slot: &Arc<Slot>) {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(slot);
    }

    /// Counts what an adopted attempt had used up before.
    pub(super) async fn catch_up(&self) {
        if self.limits.is_empty() {
            return;
        }
        let used = |event: &Event| match event.kind {
            EventKind::Usage => serde_json::from_str::<UsageData>(event.data.as_str()).ok().map(|data| data.usage),
            _ => None,
        };
        for event in self.stored_since(0).await {
            if let Some(amounts) = used(&event) {
                self.count(&amounts);
            }
        }
    }

    fn count(&self, amounts: &BTreeMap<String, u64>) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        for (unit, amount) in amounts {
            let total = used.entry(unit.clone()).or_default();
            *total = total.saturating_add(*amount);
            if let Some(limit) = self.limits.get(unit).filter(|limit| *total > **limit)
                && let Some(slot) = self.slot.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
            {
                slot.stop(Why::UsageLimit { unit: unit.clone(), limit: *limit });
            }
        }
    }

    /// The attempt's events after that number, however long the store cannot be reached.
    async fn stored_since(&self, after: i64) -> Vec<Event> {
        let mut found: Vec<Event> = Vec::new();
        let mut last = after;
        loop {
            match self.inner.store.events(&self.workspace, self.lease.run, last, PAGE).await {
                Ok(Some(events)) if !events.is_empty() => {
                    last = events.last().map_or(last, |event| event.seq);
                    found.extend(events.into_iter().filter(|event| event.attempt == self.attempt));
                }
                Ok(_) => return found,
                Err(error) => {
                    tracing::warn!(%error, "cannot read the events so far; retrying");
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                }
            }
        }
    }
}

#[derive(serde::Deserialize)]
struct UsageData {
    usage: BTreeMap<String, u64>,
}

#[async_trait]
impl Reporter for SlotReporter {
    async fn report(&self, reports: Vec<Report>) -> std::result::Result<i64, Gone> {
        self.relay(reports.into_iter().map(TimedReport::now).collect()).await
    }

    async fn relay(&self, said: Vec<TimedReport>) -> std::result::Result<i64, Gone> {
        let mut last = self.last.lock().await;
        if said.is_empty() {
            return Ok(last.unwrap_or_default());
        }
        let events = said.iter().map(event_of).collect();
        let append = Append { lease: self.lease, events };
        let entry = Entry { workspace: self.workspace.clone(), append, attempt: self.attempt, after: *last };
        let stored = match self.inner.events.store(entry).await {
            Some(AppendOutcome::Appended { last }) => last,
            Some(AppendOutcome::LeaseLost) => {
                if let Some(slot) = self.slot.lock().unwrap_or_else(PoisonError::into_inner).upgrade() {
                    slot.lose();
                }
                return Err(Gone);
            }
            None => return Err(Gone),
        };
        *last = Some(stored);
        for said in &said {
            if let Report::Usage { amounts } = &said.report {
                self.count(amounts);
            }
        }
        Ok(stored)
    }

    async fn reported_since(&self, event: i64) -> std::result::Result<u64, Gone> {
        let mut last = self.last.lock().await;
        let stored = self.stored_since(event).await;
        *last = stored.last().map(|event| event.seq).max(*last);
        Ok(stored.len() as u64)
    }
}

fn event_of(said: &TimedReport) -> NewEvent {
    let (kind, mut data) = match &said.report {
        Report::Log { stream, text } => {
            (EventKind::Log, json!({ "stream": stream, "text": text.replace('\0', "\\0") }))
        }
        Report::Progress { fraction, message } => {
            let message = message.as_ref().map(|message| message.replace('\0', "\\0"));
            (EventKind::Progress, json!({ "progress": fraction, "message": message }))
        }
        Report::Usage { amounts } => (EventKind::Usage, json!({ "usage": amounts })),
    };
    if let Some(at) = said.at {
        data["said_at"] = json!(at);
    }
    NewEvent { kind, data: Json::of(&data).unwrap_or_else(|_| Json::null()) }
}
