//! A worker in your own program: tasks are async functions.
//!
//! `cargo run --example native_worker`

use std::sync::Arc;
use std::time::Duration;

use runlane::clock::Clock;
use runlane::executor::native::{Context, TaskError};
use runlane::run::{Json, NewRun, TaskName, WorkspaceName};
use runlane::store::memory::MemoryStore;
use runlane::store::{Admission, Store};
use runlane::worker::Worker;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

#[derive(Deserialize)]
struct Email {
    to: String,
}

async fn send_email(ctx: Context, email: Email) -> Result<String, TaskError> {
    ctx.log(format!("sending to {}", email.to)).await?;
    tokio::time::sleep(Duration::from_millis(100)).await;
    ctx.progress(1.0, "sent").await?;
    Ok(format!("sent to {}", email.to))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Clock::Database));
    let worker = Worker::builder(Arc::clone(&store))
        .concurrency(10)
        .task("send_email", send_email)
        // A closure does as well. This one is stopped by a cancel, a pause, a time limit or a shutdown.
        .task("count", |ctx, to: u32| async move {
            for number in 1..=to {
                tokio::select! {
                    () = ctx.cancelled() => return Err(TaskError::new("stopped", format!("at {number}"))),
                    () = tokio::time::sleep(Duration::from_millis(20)) => {}
                }
            }
            Ok(to)
        })
        .build()?;

    let requests = [
        NewRun::of(TaskName::parse("send_email")?, Json::parse(r#"{"to": "ada@example.org"}"#)?),
        NewRun::of(TaskName::parse("count")?, Json::parse("10")?),
    ];
    store.submit(&requests, Admission::default()).await?;

    let stop = CancellationToken::new();
    let working = tokio::spawn({
        let stop = stop.clone();
        async move { worker.run(stop).await }
    });
    for request in &requests {
        let run = loop {
            let run = store.run(&WorkspaceName::default(), request.id).await?.ok_or("the run is gone")?;
            if run.status().is_terminal() {
                break run;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        println!("{}: {}, {}", run.task, run.status(), run.output.as_ref().map_or("no output", Json::as_str));
        for event in store.events(&WorkspaceName::default(), run.id, 0, 100).await?.unwrap_or_default() {
            println!("  {} {}", event.kind.as_str(), event.data.as_str());
        }
    }
    stop.cancel();
    println!("{}", working.await?);
    Ok(())
}
