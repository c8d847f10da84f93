//! The API over real sockets: a server, a database and an HTTP client for each test.

mod auth;
mod codes;
mod commands;
#[cfg(feature = "worker")]
mod direct;
mod documents;
mod events;
mod grants;
mod limits;
mod lists;
mod many;
mod operate;
mod schedule_names;
mod schedules;
mod short_ids;
mod smoke;
mod submit;
mod usage;

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, StatusCode};
use runlane::clock::Clock;
use runlane::http::{Api, ServeError, serve};
use runlane::run::lifecycle::{Outcome, Retry, Taker};
use runlane::run::{HostName, Json, RunError, RunId, WorkerId};
use runlane::store::sqlite::SqliteStore;
use runlane::store::{
    Append, AppendOutcome, ClaimRequest, Claimed, EventKind, Finish, FinishOutcome, Lease, NewEvent, Store,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long anything in these tests may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// A server of its own for each test.
pub(super) struct Site {
    pub(super) store: Arc<dyn Store>,
    pub(super) base: String,
    pub(super) client: reqwest::Client,
    stopping: CancellationToken,
    served: JoinHandle<Result<(), ServeError>>,
    _place: Option<tempfile::TempDir>,
}

impl Site {
    /// On an SQLite file.
    pub(super) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// On an SQLite file, set up differently.
    pub(super) async fn with(set_up: impl FnOnce(&mut Api)) -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let store = SqliteStore::open_and_migrate(place.path().join("runs.db"), Clock::Database).await;
        let mut site = Self::on(Arc::new(store.expect("a store")), set_up).await;
        site._place = Some(place);
        site
    }

    /// On any store.
    pub(super) async fn on(store: Arc<dyn Store>, set_up: impl FnOnce(&mut Api)) -> Self {
        let mut api = Api::on(Arc::clone(&store));
        set_up(&mut api);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let stopping = CancellationToken::new();
        let served = tokio::spawn(serve(listener, api, stopping.clone()));
        let client = http_client().redirect(reqwest::redirect::Policy::none()).timeout(PATIENCE);
        Self { store, base, client: client.build().expect("a client"), stopping, served, _place: None }
    }

    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path)).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Answer {
        Answer::of(self.request(Method::POST, path).json(&body)).await
    }

    /// A command, which has no body.
    pub(super) async fn tell(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::POST, path)).await
    }

    pub(super) async fn patch(&self, path: &str, body: Value) -> Answer {
        Answer::of(self.request(Method::PATCH, path).json(&body)).await
    }

    /// A new run's id.
    pub(super) async fn submit(&self, body: Value) -> String {
        let answer = self.post("/v1/runs", body).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
        answer.body["id"].as_str().expect("an id").to_owned()
    }

    /// Takes the next run, as a worker does.
    pub(super) async fn claim(&self) -> Claimed {
        self.claims().await.pop().expect("a ready run")
    }

    /// Takes the next run, if there is one.
    pub(super) async fn claims(&self) -> Vec<Claimed> {
        let request =
            ClaimRequest::of(Taker { worker: WorkerId::new(), host: HostName::parse("here").expect("a name") }, 1);
        self.store.claim(&request).await.expect("a claim").runs
    }

    pub(super) async fn succeed(&self, lease: Lease, output: Value) {
        let output = Some(Json::of(&output).expect("JSON"));
        self.finish(lease, Outcome::Succeeded { output }).await;
    }

    pub(super) async fn fail(&self, lease: Lease) {
        let error = RunError::new("exit", "exit status 1");
        self.finish(lease, Outcome::Failed { error, retry: Retry::Never }).await;
    }

    /// To be tried again.
    pub(super) async fn fail_for_now(&self, lease: Lease) {
        let error = RunError::new("exit", "exit status 1");
        self.finish(lease, Outcome::Failed { error, retry: Retry::Backoff }).await;
    }

    async fn finish(&self, lease: Lease, outcome: Outcome) {
        let finished = self.store.finish(&[Finish::of(lease, outcome)]).await.expect("an answer");
        assert!(matches!(finished[..], [FinishOutcome::Accepted(_)]), "{finished:?}");
    }

    pub(super) async fn say(&self, lease: Lease, text: &str) {
        self.append(lease, EventKind::Log, json!({"stream": "stdout", "text": text})).await;
    }

    pub(super) async fn use_up(&self, lease: Lease, unit: &str, amount: u64) {
        self.append(lease, EventKind::Usage, json!({"usage": {unit: amount}})).await;
    }

    async fn append(&self, lease: Lease, kind: EventKind, data: Value) {
        let data = Json::of(&data).expect("JSON");
        let append = Append { lease, events: vec![NewEvent { kind, data }] };
        let said = self.store.append(&[append]).await.expect("an answer");
        assert!(matches!(said[..], [AppendOutcome::Appended { .. }]), "{said:?}");
    }

    /// Tells the server to stop, as a signal does.
    pub(super) fn stop(&self) {
        self.stopping.cancel();
    }

    /// Waits until it has.
    pub(super) async fn stopped(self) {
        let served = tokio::time::timeout(PATIENCE, self.served).await.expect("stopped in time");
        served.expect("no panic").expect("no error");
    }
}

/// An answer, read to its end.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: reqwest::header::HeaderMap,
    pub(super) body: Value,
}

impl Answer {
    pub(super) async fn of(request: RequestBuilder) -> Self {
        Self::read(request.send().await.expect("an answer")).await
    }

    pub(super) async fn read(response: Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.expect("a body");
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Self { status, headers, body }
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Checks that it is a problem with this code, written as the standard has it.
    #[track_caller]
    pub(super) fn is_problem(&self, code: &str) -> &Self {
        assert_eq!(self.body["code"], code, "{:?}", self.body);
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(self.body["status"], self.status.as_u16());
        assert_eq!(self.body["type"], format!("urn:runlane:problem:{code}"));
        assert_eq!(self.body["request_id"], self.header("x-request-id"));
        assert!(self.body["detail"].is_string() && self.body["title"].is_string());
        self
    }
}

pub(super) fn id_of(text: &str) -> RunId {
    text.parse().expect("an id")
}

/// A client with the cryptography the product has: reqwest is built without one of its own.
pub(crate) fn http_client() -> reqwest::ClientBuilder {
    // An error says that another test has installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}
