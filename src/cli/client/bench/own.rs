//! A server of its own, with a worker for the queue that is measured and for nothing else.

use std::net::Ipv4Addr;
use std::sync::Arc;

use runlane::http::{self, Api, Auth, ServeError};
use runlane::run::QueueName;
use runlane::worker::{Served, Settings, Summary, Worker, demo_tasks};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::queue;
use crate::cli::Failure;
use crate::cli::database::Database;

/// Enough that the database is what is measured.
const SLOTS: usize = 200;

/// Stops when it is told to, or dropped.
pub(super) struct OwnServer {
    pub(super) url: String,
    stop: CancellationToken,
    serving: JoinHandle<Result<(), ServeError>>,
    working: JoinHandle<Summary>,
}

impl OwnServer {
    /// On a database that was migrated, for this machine only.
    pub(super) async fn on(database: &Database) -> Result<Self, Failure> {
        let store = database.open().await?;
        let queues = vec![Served { queue: QueueName::parse(queue::NAME)?, concurrency: None }];
        let settings = Settings { concurrency: SLOTS, queues, ..Settings::default() };
        let worker = Worker::builder(Arc::clone(&store)).settings(settings).tasks(demo_tasks()).build()?;
        let mut api = Api::on(store);
        api.auth = Auth::None;
        api.database = database.info();
        api.ended = worker.ended();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let stop = CancellationToken::new();
        let serving = tokio::spawn(http::serve(listener, api, stop.clone()));
        let working = tokio::spawn({
            let stop = stop.clone();
            async move { worker.run(stop).await }
        });
        Ok(Self { url, stop, serving, working })
    }

    /// Returns when everything that it began has ended.
    pub(super) async fn stop(self) -> Result<(), Failure> {
        self.stop.cancel();
        self.serving.await??;
        self.working.await?;
        Ok(())
    }
}
