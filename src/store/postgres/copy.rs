//! Copies new runs into their table as they are encoded: the server stores the first while the last are on their way.

use std::pin::pin;

use tokio_postgres::Error;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

use super::connect::refused;
use super::row::JsonText;
use super::session::Session;
use crate::run::Run;
use crate::store::Result;
use crate::store::script::Record;

/// What a new run has; the other columns have defaults.
const COPY: &str =
    "copy runlane.runs (id, workspace, task, queue, lane, priority, status, blocked_by, payload, metadata,
    key, max_attempts, attempts_granted, timeout_seconds, retry, available_at, awaited, requested_at)
from stdin (format binary)";

/// In the same order.
const TYPES: [Type; 18] = [
    Type::UUID,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::INT2,
    Type::TEXT,
    Type::TEXT,
    Type::JSON,
    Type::JSON,
    Type::TEXT,
    Type::INT4,
    Type::INT4,
    Type::INT4,
    Type::TEXT,
    Type::TIMESTAMPTZ,
    Type::BOOL,
    Type::TIMESTAMPTZ,
];

pub(super) async fn copy_runs(session: &Session, runs: &[Run]) -> Result<()> {
    let client = session.opened().await?;
    let copied = async {
        let sink = match session.target.prepared_statements {
            true => client.copy_in(&client.prepare_cached(COPY).await?).await?,
            false => client.copy_in(COPY).await?,
        };
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &TYPES));
        for run in runs {
            writer
                .as_mut()
                .write(&[
                    &run.id.0,
                    &run.workspace.as_str(),
                    &run.task.as_str(),
                    &run.queue.as_str(),
                    &run.lane.as_ref().map(|lane| lane.as_str()),
                    &run.priority.get(),
                    &run.status().as_str(),
                    &run.blocked_by().map(|reason| reason.as_str()),
                    &JsonText(run.payload.as_str()),
                    &run.metadata.as_ref().map(|json| JsonText(json.as_str())),
                    &run.key.as_ref().map(|key| key.as_str()),
                    &(run.max_attempts as i32),
                    &(run.attempts_granted as i32),
                    &run.timeout_seconds.map(|seconds| seconds as i32),
                    &run.retry.map(Record::retry_text),
                    &run.available_at,
                    &run.awaited,
                    &run.requested_at,
                ])
                .await?;
        }
        writer.finish().await
    };
    let copied: std::result::Result<u64, Error> = copied.await;
    copied.map(drop).map_err(|error| refused(session.doing(), error))
}
