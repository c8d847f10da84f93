//! The life of one run in a few lines: submit it, claim it as a worker would, finish it, read it back.
//!
//! `cargo run --example submit_claim_finish`

use runlane::clock::Clock;
use runlane::run::lifecycle::{Outcome, Taker};
use runlane::run::{HostName, Json, NewRun, TaskName, WorkerId, WorkspaceName};
use runlane::store::memory::MemoryStore;
use runlane::store::{Admission, ClaimRequest, Finish, Store};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = MemoryStore::new(Clock::Database);

    let request = NewRun::of(TaskName::parse("resize")?, Json::parse(r#"{"width": 640}"#)?);
    let id = request.id;
    let outcomes = store.submit(&[request], Admission::default()).await?;
    println!("submitted: {outcomes:?}");

    let taker = Taker { worker: WorkerId::new(), host: HostName::parse("laptop")? };
    let claim = store.claim(&ClaimRequest::of(taker, 1)).await?;
    for claimed in &claim.runs {
        println!("claimed: {} with payload {}", claimed.run.task, claimed.run.payload.as_str());
        let outcome = Outcome::Succeeded { output: Some(Json::parse(r#"{"bytes": 1024}"#)?) };
        let answers = store.finish(&[Finish::of(claimed.lease(), outcome)]).await?;
        println!("finished: {answers:?}");
    }

    let run = store.run(&WorkspaceName::default(), id).await?.ok_or("the run is gone")?;
    println!("now {}, with output {}", run.status(), run.output.as_ref().map_or("none", Json::as_str));
    Ok(())
}
