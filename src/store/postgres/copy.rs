//! Copies new runs into their table as they are encoded: the server stores the first while the last are on their way.

use std::pin::pin;

use tokio_postgres::Error;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

use super::connect::refused;
use super::row::types;
use super::session::Session;
use crate::run::Run;
use crate::store::Result;
use crate::store::script::{Column, Columns, Value, steps};

pub(super) async fn copy_runs(session: &Session, runs: &[Run]) -> Result<()> {
    let [_, copy] = steps(&session.statements.insert_runs);
    let columns: Vec<&Column> = Columns::New.iter().collect();
    let types: Vec<Type> = columns.iter().map(|column| types(column).0).collect();
    let client = session.opened().await?;
    let copied = async {
        let sink = match session.target.prepared_statements {
            true => client.copy_in(&client.prepare_cached(copy).await?).await?,
            false => client.copy_in(copy).await?,
        };
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        for run in runs {
            let row: Vec<Value<'_>> = columns.iter().map(|column| column.value(run)).collect();
            writer.as_mut().write_raw(row).await?;
        }
        writer.finish().await
    };
    let copied: std::result::Result<u64, Error> = copied.await;
    copied.map(drop).map_err(|error| refused(session.doing(), error))
}
