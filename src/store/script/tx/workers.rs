//! What a transaction does for workers, and to explain what a run waits for.

use std::future::Future;

use crate::run::{Run, WorkerId};
use crate::store::{Duty, Position, Result, WaitingTask, Worker, WorkerInfo};

#[rustfmt::skip]
pub(in crate::store) trait WorkerTx: Send {
    fn heartbeat(&mut self, worker: &WorkerInfo) -> impl Future<Output = Result<Duty>> + Send;
    fn drain(&mut self, worker: WorkerId) -> impl Future<Output = Result<Option<Worker>>> + Send;
    fn leave(&mut self, worker: WorkerId) -> impl Future<Output = Result<bool>> + Send;
    fn workers(&mut self) -> impl Future<Output = Result<Vec<Worker>>> + Send;
    fn position(&mut self, run: &Run, workers: &[WorkerId], most: usize) -> impl Future<Output = Result<Position>> + Send;
    fn waiting_tasks(&mut self, most: usize) -> impl Future<Output = Result<Vec<WaitingTask>>> + Send;
}
