//! Runlane inside a web application of your own: one process, one SQLite file, your routes beside the API.
//!
//! `cargo run --example embedded_api`

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use runlane::clock::Clock;
use runlane::executor::native::TaskError;
use runlane::http::Api;
use runlane::store::Store;
use runlane::store::sqlite::SqliteStore;
use runlane::worker::Worker;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open_and_migrate(folder.path().join("runlane.db"), Clock::Database).await?;
    let store: Arc<dyn Store> = Arc::new(store);
    let stop = CancellationToken::new();

    let worker = Worker::builder(Arc::clone(&store))
        .task("greet", |ctx, name: String| async move {
            // The first attempt fails, to be tried again.
            match ctx.attempt() {
                1 => Err(TaskError::new("shy", "not at the first attempt")),
                _ => Ok(format!("hello, {name}")),
            }
        })
        .build()?;
    let app = Router::new()
        .route("/", get(|| async { "an application with a queue" }))
        .merge(runlane::http::router(Api::on(store), stop.clone()));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);

    let told = || stop.clone().cancelled_owned();
    let serving = tokio::spawn(axum::serve(listener, app).with_graceful_shutdown(told()).into_future());
    let working = tokio::spawn({
        let stop = stop.clone();
        async move { worker.run(stop).await }
    });

    // reqwest is built without cryptography of its own here, to share the one of the library.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::new();
    println!("{}", client.get(&url).send().await?.text().await?);
    let request = client.post(format!("{url}/v1/runs")).header("Prefer", "wait=30");
    let answer = request.json(&serde_json::json!({"task": "greet", "payload": "Ada"})).send().await?;
    let run: serde_json::Value = answer.json().await?;
    println!("{} at attempt {}: {}", run["status"], run["attempt"], run["output"]);

    stop.cancel();
    println!("{}", working.await?);
    serving.await??;
    Ok(())
}
