//! From a row as it was read to a run.

use super::columns::Record;
use crate::run::{
    AttemptedBy, BlockedBy, Ending, Execution, GrantId, HostName, InvalidName, LaneName, Priority, QueueName,
    RetryPolicy, Run, RunError, RunId, RunKey, ScheduleId, Scheduled, State, Status, Stop, TaskName, Tenure, WorkerId,
    WorkspaceName,
};
use crate::store::{Result, StoreError};

impl Record {
    pub(super) fn into_run(self) -> Result<Run> {
        let state = self.state()?;
        let scheduled = self.scheduled();
        let error = match (self.error_code, self.error_message) {
            (Some(code), Some(message)) => Some(RunError { code, message }),
            _ => None,
        };
        Ok(Run {
            id: RunId(self.id),
            seq: self.seq,
            revision: self.revision,
            workspace: WorkspaceName::parse(self.workspace).map_err(bad_name)?,
            task: TaskName::parse(self.task).map_err(bad_name)?,
            queue: QueueName::parse(self.queue).map_err(bad_name)?,
            lane: self.lane.map(LaneName::parse).transpose().map_err(bad_name)?,
            priority: Priority::new(self.priority).map_err(|e| StoreError::Corrupt(e.to_string()))?,
            payload: self.payload,
            metadata: self.metadata,
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
            start_by: self.start_by,
            requested_at: self.requested_at,
            started_at: self.started_at,
            error,
            output: self.output,
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
            Status::Queued if blocked_by == Some(BlockedBy::Worker) => State::Leased(self.execution()?),
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
            _ => return Err(self.impossible("a run with a worker has either a lease or none")),
        };
        let by = self.attempted_by()?.ok_or_else(|| self.impossible("a run with a lease has a worker"))?;
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

/// Databases have no unsigned integers.
pub(in crate::store) fn to_u32(number: i32) -> u32 {
    u32::try_from(number).unwrap_or_default()
}
