//! One process of the chaos test: does its part to a database that others use too, and writes down what it did.
//!
//! `chaos_actor URL NAME SEED HISTORY ROLE...`, where the roles are carried out one after the other: `prepare` makes
//! workspaces and limits, `work` is a whole process of submitters, workers, operators and maintenance, `drain` ends
//! what is left and writes the final state to `HISTORY.final`.

#[path = "../tests/it/concurrent/actors/mod.rs"]
mod actors;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use runlane::clock::Clock;
use runlane::store::checker::{FinalState, Log, Recorder};
use runlane::store::memory::MemoryStore;
use runlane::store::{Admission, Store};

use actors::{Size, bustle, drain, prepare};

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [url, name, seed, recording, roles @ ..] = args.as_slice() else {
        return Err("usage: chaos_actor URL NAME SEED HISTORY prepare|work|drain...".into());
    };
    let path = PathBuf::from(recording);
    let actor =
        Actor { store: open(url).await?, name, seed: seed.parse()?, log: Log::to_file(Clock::Database, &path)? };
    for role in roles {
        actor.play(role, &path).await?;
    }
    Ok(())
}

/// The database behind a URL.
async fn open(url: &str) -> Result<Arc<dyn Store>, Failure> {
    match url.split_once(':') {
        Some(("memory", _)) => Ok(Arc::new(MemoryStore::new(Clock::Database))),
        #[cfg(feature = "postgres")]
        Some(("postgres", _)) => {
            Ok(Arc::new(runlane::store::postgres::PostgresStore::connect(url, Clock::Database).await?))
        }
        _ => Err(format!("there is no store for {url}").into()),
    }
}

struct Actor<'a> {
    store: Arc<dyn Store>,
    name: &'a str,
    seed: u64,
    log: Arc<Log>,
}

impl Actor<'_> {
    async fn play(&self, role: &str, recording: &Path) -> Result<(), Failure> {
        let recorder = |role| Recorder::new(self.store.clone(), format!("{}/{role}", self.name), self.log.clone());
        let size = Size::usual();
        match role {
            "prepare" => prepare(&recorder("prepare")).await,
            "work" => bustle(self.store.clone(), self.name, self.seed, size, self.log.clone()).await,
            "drain" => {
                drain(Arc::new(recorder("drain")), Admission { queue_size: size.queue_size }).await;
                let last = FinalState::read(&*self.store).await?;
                std::fs::write(recording.with_added_extension("final"), serde_json::to_vec(&last)?)?;
            }
            _ => return Err(format!("there is no role {role}").into()),
        }
        Ok(())
    }
}
