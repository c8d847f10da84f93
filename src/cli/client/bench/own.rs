//! A server of its own, with a worker for the queue that is measured and for nothing else. Others on this machine can reach
//! it, too, and the database may be one that matters: so it asks for a token, which is good for as long as it is.

use std::net::Ipv4Addr;
use std::sync::Arc;

use jiff::SignedDuration;
use runlane::access::{Role, Secret, TokenId, TokenName};
use runlane::actions::{By, TokenRequest, create_token, revoke_token};
use runlane::http::{self, Api, Auth, ServeError};
use runlane::run::{QueueName, WorkspaceName};
use runlane::store::Store;
use runlane::worker::{Served, Settings, Summary, Worker, demo_tasks};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::queue;
use crate::cli::Failure;
use crate::cli::database::Database;

/// Enough that the database is what is measured.
const SLOTS: usize = 200;

/// By then a token is no good though nobody lived to revoke it.
const LONGEST: SignedDuration = SignedDuration::from_hours(1);

pub(super) struct OwnServer {
    pub(super) url: String,
    pub(super) secret: Secret,
    token: TokenId,
    by: By,
    store: Arc<dyn Store>,
    stop: CancellationToken,
    serving: JoinHandle<Result<(), ServeError>>,
    working: JoinHandle<Summary>,
}

impl OwnServer {
    /// On a database that was migrated, for this machine only.
    pub(super) async fn on(database: &Database, workspace: WorkspaceName) -> Result<Self, Failure> {
        let store = database.open().await?;
        let by = By { name: "bench".to_owned(), ..By::local(workspace.clone()) };
        let (name, role) = (TokenName::parse("bench")?, Role::Operator);
        let wanted = TokenRequest { workspace: Some(workspace.clone()), name, role, expires_in: Some(LONGEST) };
        let made = create_token(store.as_ref(), &by, wanted).await?;
        let (token, secret) = made.ok_or_else(|| format!("there is no workspace {workspace} in that database"))?;
        let queues = vec![Served { queue: QueueName::parse(queue::NAME)?, concurrency: None }];
        let settings = Settings { concurrency: SLOTS, queues, ..Settings::default() };
        let worker = Worker::builder(Arc::clone(&store)).settings(settings).tasks(demo_tasks());
        // Its runs need none, and it does not know how long the others are to be kept.
        let worker = worker.without_maintenance().build()?;
        let mut api = Api::on(Arc::clone(&store));
        api.auth = Auth::Tokens;
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
        Ok(Self { url, secret, token: token.id, by, store, stop, serving, working })
    }

    /// Returns when everything that it began has ended.
    pub(super) async fn stop(self) -> Result<(), Failure> {
        self.stop.cancel();
        let (served, worked) = tokio::join!(self.serving, self.working);
        revoke_token(self.store.as_ref(), &self.by, self.token, Some(&self.by.workspace)).await?;
        served??;
        worked?;
        Ok(())
    }
}
