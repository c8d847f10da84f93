//! A run as a flat row: the columns that `runs` and `history` have on every database.

use jiff::Timestamp;
use uuid::Uuid;

use crate::run::{
    AttemptedBy, BlockedBy, Ending, Execution, GrantId, HostName, InvalidName, Json, LaneName, Priority, QueueName,
    RetryPolicy, Run, RunError, RunId, RunKey, ScheduleId, Scheduled, State, Status, Stop, TaskName, Tenure, WorkerId,
    WorkspaceName,
};
use crate::store::{Result, StoreError};

/// The columns, in the order of every statement that reads or writes whole rows. `runs` has no `finished_at` and no
/// `output`; `history` has no `blocked_by`, `stop`, `lease_expires_at` and `orphaned_at`: there, they are null.
#[derive(Clone, Debug)]
pub(in crate::store) struct Record {
    pub(in crate::store) id: Uuid,
    pub(in crate::store) seq: i64,
    pub(in crate::store) workspace: String,
    pub(in crate::store) task: String,
    pub(in crate::store) queue: String,
    pub(in crate::store) lane: Option<String>,
    pub(in crate::store) priority: i16,
    pub(in crate::store) status: String,
    pub(in crate::store) blocked_by: Option<String>,
    pub(in crate::store) payload: String,
    pub(in crate::store) metadata: Option<String>,
    pub(in crate::store) key: Option<String>,
    pub(in crate::store) attempt: i32,
    pub(in crate::store) max_attempts: i32,
    pub(in crate::store) attempts_granted: i32,
    pub(in crate::store) interruptions: i32,
    pub(in crate::store) epoch: i64,
    pub(in crate::store) timeout_seconds: Option<i32>,
    pub(in crate::store) retry: Option<String>,
    pub(in crate::store) available_at: Timestamp,
    pub(in crate::store) requested_at: Timestamp,
    pub(in crate::store) started_at: Option<Timestamp>,
    pub(in crate::store) attempt_started_at: Option<Timestamp>,
    pub(in crate::store) worker: Option<Uuid>,
    pub(in crate::store) host: Option<String>,
    pub(in crate::store) lease_expires_at: Option<Timestamp>,
    pub(in crate::store) orphaned_at: Option<Timestamp>,
    pub(in crate::store) stop: Option<String>,
    pub(in crate::store) error_code: Option<String>,
    pub(in crate::store) error_message: Option<String>,
    pub(in crate::store) awaited: bool,
    pub(in crate::store) schedule_id: Option<Uuid>,
    pub(in crate::store) slot: Option<Timestamp>,
    pub(in crate::store) grant_id: Option<Uuid>,
    pub(in crate::store) postponements: i32,
    pub(in crate::store) finished_at: Option<Timestamp>,
    pub(in crate::store) output: Option<String>,
}

impl Record {
    pub(in crate::store) fn of(run: &Run) -> Self {
        let mut record = Self {
            id: run.id.0,
            seq: run.seq,
            workspace: run.workspace.to_string(),
            task: run.task.to_string(),
            queue: run.queue.to_string(),
            lane: run.lane.as_ref().map(ToString::to_string),
            priority: run.priority.get(),
            status: run.status().as_str().to_owned(),
            blocked_by: run.blocked_by().map(|reason| reason.as_str().to_owned()),
            payload: run.payload.as_str().to_owned(),
            metadata: run.metadata.as_ref().map(|json| json.as_str().to_owned()),
            key: run.key.as_ref().map(ToString::to_string),
            attempt: to_i32(run.attempt),
            max_attempts: to_i32(run.max_attempts),
            attempts_granted: to_i32(run.attempts_granted),
            interruptions: to_i32(run.interruptions),
            epoch: run.epoch,
            timeout_seconds: run.timeout_seconds.map(to_i32),
            retry: run.retry.map(Self::retry_text),
            available_at: run.available_at,
            requested_at: run.requested_at,
            started_at: run.started_at,
            attempt_started_at: None,
            worker: None,
            host: None,
            lease_expires_at: None,
            orphaned_at: None,
            stop: None,
            error_code: run.error.as_ref().map(|error| error.code.clone()),
            error_message: run.error.as_ref().map(|error| error.message.clone()),
            awaited: run.awaited,
            schedule_id: run.scheduled.map(|scheduled| scheduled.schedule.0),
            slot: run.scheduled.and_then(|scheduled| scheduled.slot),
            grant_id: run.scheduled.map(|scheduled| scheduled.grant.0),
            postponements: to_i32(run.postponements),
            finished_at: run.finished_at(),
            output: run.output.as_ref().map(|json| json.as_str().to_owned()),
        };
        match &run.state {
            State::Running(execution) => record.set_execution(execution),
            State::Finished { by: Some(by), .. } => record.set_attempted_by(by),
            _ => {}
        }
        record
    }

    pub(in crate::store) fn retry_text(policy: RetryPolicy) -> String {
        format!("{} {} {}", policy.base_ms, policy.factor, policy.cap_ms)
    }

    fn set_execution(&mut self, execution: &Execution) {
        self.set_attempted_by(&execution.by);
        self.stop = execution.stop.map(|stop| stop.as_str().to_owned());
        match execution.tenure {
            Tenure::Leased { until } => self.lease_expires_at = Some(until),
            Tenure::Orphaned { since } => self.orphaned_at = Some(since),
        }
    }

    fn set_attempted_by(&mut self, by: &AttemptedBy) {
        self.worker = Some(by.worker.0);
        self.host = Some(by.host.to_string());
        self.attempt_started_at = Some(by.started_at);
    }

    pub(in crate::store) fn into_run(self) -> Result<Run> {
        let state = self.state()?;
        let scheduled = self.scheduled();
        let error = match (self.error_code, self.error_message) {
            (Some(code), Some(message)) => Some(RunError { code, message }),
            _ => None,
        };
        Ok(Run {
            id: RunId(self.id),
            seq: self.seq,
            workspace: WorkspaceName::parse(self.workspace).map_err(bad_name)?,
            task: TaskName::parse(self.task).map_err(bad_name)?,
            queue: QueueName::parse(self.queue).map_err(bad_name)?,
            lane: self.lane.map(LaneName::parse).transpose().map_err(bad_name)?,
            priority: Priority::new(self.priority).map_err(|e| StoreError::Corrupt(e.to_string()))?,
            payload: Json::from_storage(self.payload),
            metadata: self.metadata.map(Json::from_storage),
            key: self.key.map(RunKey::parse).transpose().map_err(bad_name)?,
            attempt: to_u32(self.attempt),
            max_attempts: to_u32(self.max_attempts),
            attempts_granted: to_u32(self.attempts_granted),
            interruptions: to_u32(self.interruptions),
            postponements: to_u32(self.postponements),
            epoch: self.epoch,
            timeout_seconds: self.timeout_seconds.map(to_u32),
            retry: self.retry.as_deref().map(retry_policy).transpose()?,
            available_at: self.available_at,
            requested_at: self.requested_at,
            started_at: self.started_at,
            error,
            output: self.output.map(Json::from_storage),
            awaited: self.awaited,
            scheduled,
            state,
        })
    }

    fn state(&self) -> Result<State> {
        let status = Status::from_word(&self.status)
            .ok_or_else(|| StoreError::Corrupt(format!("run {}: status {:?}", self.id, self.status)))?;
        let blocked_by = self.blocked_by.as_deref().and_then(BlockedBy::from_word);
        Ok(match status {
            Status::Pending => State::Pending,
            Status::Queued => State::Queued(blocked_by),
            Status::Retrying => State::Retrying(blocked_by),
            Status::Paused => State::Paused,
            Status::Running => State::Running(self.execution()?),
            Status::Succeeded => self.finished(Ending::Succeeded)?,
            Status::Failed => self.finished(Ending::Failed)?,
            Status::TimedOut => self.finished(Ending::TimedOut)?,
            Status::Cancelled => self.finished(Ending::Cancelled)?,
        })
    }

    fn scheduled(&self) -> Option<Scheduled> {
        let (schedule, grant) = (ScheduleId(self.schedule_id?), GrantId(self.grant_id?));
        Some(Scheduled { schedule, slot: self.slot, grant })
    }

    fn execution(&self) -> Result<Execution> {
        let tenure = match (self.lease_expires_at, self.orphaned_at) {
            (Some(until), None) => Tenure::Leased { until },
            (None, Some(since)) => Tenure::Orphaned { since },
            _ => return Err(self.impossible("a running run has either a lease or none")),
        };
        let by = self.attempted_by()?.ok_or_else(|| self.impossible("a running run has a worker"))?;
        Ok(Execution { by, tenure, stop: self.stop.as_deref().and_then(Stop::from_word) })
    }

    fn finished(&self, ending: Ending) -> Result<State> {
        let at = self.finished_at.ok_or_else(|| self.impossible("a finished run has a time"))?;
        Ok(State::Finished { ending, at, by: self.attempted_by()? })
    }

    fn attempted_by(&self) -> Result<Option<AttemptedBy>> {
        match (self.worker, &self.host, self.attempt_started_at) {
            (Some(worker), Some(host), Some(started_at)) => {
                let host = HostName::parse(host.as_str()).map_err(bad_name)?;
                Ok(Some(AttemptedBy { worker: WorkerId(worker), host, started_at }))
            }
            _ => Ok(None),
        }
    }

    fn impossible(&self, rule: &str) -> StoreError {
        StoreError::Corrupt(format!("run {}: {rule}", self.id))
    }
}

fn retry_policy(text: &str) -> Result<RetryPolicy> {
    let numbers: Option<Vec<u32>> = text.split(' ').map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some([base_ms, factor, cap_ms]) => Ok(RetryPolicy { base_ms: *base_ms, factor: *factor, cap_ms: *cap_ms }),
        _ => Err(StoreError::Corrupt(format!("retry policy {text:?}"))),
    }
}

pub(in crate::store) fn bad_name(error: InvalidName) -> StoreError {
    StoreError::Corrupt(error.to_string())
}

/// Databases have no unsigned integers; what does not fit is as good as unlimited.
pub(in crate::store) fn to_i32(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

pub(in crate::store) fn to_u32(number: i32) -> u32 {
    u32::try_from(number).unwrap_or_default()
}
