//! Runlane as one of the peers that `bench/beside/run` measures: `setup`, `enqueue RUNS CALLERS`, `bulk RUNS BATCH`,
//! `worker SLOTS`, `latency RUNS GAP_MS`, `pickup RUNS GAP_MS` (both in one process), `waits MS SLOTS`, `api`.
//!
//! It speaks the line protocol of the harness: `r` is a result, `c` how many handlers have started and `f` when the first
//! did, `s` when the handler of a run started, `e` when its submission began and was answered. The database is
//! `DATABASE_URL`, or the file `SQLITE_PATH` where `SQLITE` is set; with `LANES` the runs are spread over so many lanes, and
//! handlers wait for `WAIT_MS`.

use std::error::Error;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use runlane::clock::Clock;
use runlane::executor::native::TaskError;
use runlane::run::{Json, LaneName, NewRun, TaskName};
use runlane::store::postgres::PostgresStore;
use runlane::store::sqlite::SqliteStore;
use runlane::store::{Admission, Store, SubmitOutcome};
use runlane::worker::Worker;
use serde::Deserialize;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The one the product has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const REPORT: Duration = Duration::from_millis(20);

static STARTED: AtomicU64 = AtomicU64::new(0);
static FIRST: AtomicU64 = AtomicU64::new(0);

#[derive(Deserialize)]
struct Payload {
    i: u64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| -> Result<u64> { Ok(args.get(at).ok_or("a number is missing")?.parse()?) };
    match args.first().map(String::as_str) {
        Some("setup") => setup().await,
        Some("enqueue") => enqueue(number(1)?, number(2)?).await,
        Some("bulk") => bulk(number(1)?, number(2)?).await,
        Some("worker") => work(number(1)? as usize).await,
        Some("latency") => latency(number(1)?, Duration::from_millis(number(2)?)).await,
        Some("pickup") => pickup(number(1)?, Duration::from_millis(number(2)?)).await,
        Some("waits") => waits(number(1)?, number(2)?).await,
        Some("api") => api(),
        _ => {
            Err("usage: setup | enqueue RUNS CALLERS | bulk RUNS BATCH | worker SLOTS | latency RUNS GAP_MS | waits MS SLOTS | api"
                .into())
        }
    }
}

fn sqlite() -> Option<String> {
    std::env::var_os("SQLITE")?;
    std::env::var("SQLITE_PATH").ok()
}

async fn setup() -> Result<()> {
    match sqlite() {
        Some(path) => SqliteStore::migrate(path).await?,
        None => PostgresStore::migrate(&std::env::var("DATABASE_URL")?).await?,
    };
    Ok(())
}

async fn open() -> Result<Arc<dyn Store>> {
    Ok(match sqlite() {
        Some(path) => Arc::new(SqliteStore::open(path, Clock::Database).await?),
        None => Arc::new(PostgresStore::connect(&std::env::var("DATABASE_URL")?, Clock::Database).await?),
    })
}

fn request(i: u64) -> Result<NewRun> {
    let payload = Json::parse(format!(r#"{{"i":{i},"text":"lorem ipsum dolor sit amet consectetu"}}"#))?;
    let run = NewRun::of(TaskName::parse("noop")?, payload);
    Ok(match std::env::var("LANES") {
        Ok(lanes) => NewRun { lane: Some(LaneName::parse(format!("lane-{}", i % lanes.parse::<u64>()?))?), ..run },
        Err(_) => run,
    })
}

async fn submit(store: &dyn Store, runs: &[NewRun]) -> Result<()> {
    let outcomes = store.submit(runs, Admission::default()).await?;
    assert!(outcomes.iter().all(|outcome| *outcome == SubmitOutcome::Created), "every run is created");
    Ok(())
}

/// Many callers, each with one run at a time.
async fn enqueue(runs: u64, callers: u64) -> Result<()> {
    let store = open().await?;
    let begun = Instant::now();
    let calls = (0..callers).map(|first| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for i in (first..runs).step_by(callers as usize) {
                submit(&*store, &[request(i)?]).await?;
            }
            Ok::<_, Box<dyn Error + Send + Sync>>(())
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await??;
    }
    say(&format!("r {runs} {}", begun.elapsed().as_secs_f64()))
}

/// One caller with many runs at a time.
async fn bulk(runs: u64, batch: u64) -> Result<()> {
    let store = open().await?;
    let begun = Instant::now();
    for first in (0..runs).step_by(batch as usize) {
        let batch: Vec<NewRun> = (first..(first + batch).min(runs)).map(request).collect::<Result<_>>()?;
        submit(&*store, &batch).await?;
    }
    say(&format!("r {runs} {}", begun.elapsed().as_secs_f64()))
}

async fn work(slots: usize) -> Result<()> {
    let stop = CancellationToken::new();
    let mut terminated = signal(SignalKind::terminate())?;
    std::thread::spawn(report);
    let told = async {
        terminated.recv().await;
        stop.cancel();
    };
    tokio::join!(serve(open().await?, slots, std::env::var_os("LAT").is_some(), stop.clone()), told).0
}

/// A worker with what a process has besides.
async fn serve(store: Arc<dyn Store>, slots: usize, tell_starts: bool, stop: CancellationToken) -> Result<()> {
    let wait = std::env::var("WAIT_MS").ok().and_then(|wait| wait.parse().ok()).map(Duration::from_millis);
    let worker = Worker::builder(store)
        .concurrency(slots)
        .task("noop", move |_, payload: Payload| async move {
            if STARTED.fetch_add(1, Ordering::Relaxed) == 0 {
                FIRST.store(now(), Ordering::Relaxed);
            }
            if tell_starts {
                say(&format!("s {} {}", payload.i, now()))
                    .map_err(|error| TaskError::new("output", error.to_string()))?;
            }
            if let Some(wait) = wait {
                tokio::time::sleep(wait).await;
            }
            Ok::<_, TaskError>(())
        })
        .build()?;
    worker.run(stop).await;
    Ok(())
}

/// How many handlers have started, whenever that has changed.
fn report() -> Result<()> {
    say("ready")?;
    let mut told = 0;
    loop {
        std::thread::sleep(REPORT);
        let started = STARTED.load(Ordering::Relaxed);
        if told == 0 && started > 0 {
            say(&format!("f {}", FIRST.load(Ordering::Relaxed)))?;
        }
        if started != told {
            told = started;
            say(&format!("c {started}"))?;
        }
    }
}

async fn latency(runs: u64, gap: Duration) -> Result<()> {
    submit_paced(open().await?, runs, gap).await
}

async fn pickup(runs: u64, gap: Duration) -> Result<()> {
    let (store, stop) = (open().await?, CancellationToken::new());
    let serving = tokio::spawn(serve(Arc::clone(&store), 100, true, stop.clone()));
    tokio::time::sleep(Duration::from_millis(500)).await;
    submit_paced(store, runs, gap).await?;
    stop.cancel();
    serving.await?
}

async fn submit_paced(store: Arc<dyn Store>, runs: u64, gap: Duration) -> Result<()> {
    for i in 0..runs {
        let run = request(i)?;
        let before = now();
        submit(&*store, &[run]).await?;
        say(&format!("e {i} {before} {}", now()))?;
        tokio::time::sleep(gap).await;
    }
    Ok(())
}

/// What so many slots could do at the most, if nothing but their handlers took time: they wait so long, again and again.
async fn waits(milliseconds: u64, slots: u64) -> Result<()> {
    let (begun, until) = (Instant::now(), Instant::now() + Duration::from_secs(2));
    let loops = (0..slots).map(|_| {
        tokio::spawn(async move {
            let mut waits = 0_u64;
            while Instant::now() < until {
                tokio::time::sleep(Duration::from_millis(milliseconds)).await;
                waits += 1;
            }
            waits
        })
    });
    let mut all = 0;
    for waits in loops.collect::<Vec<_>>() {
        all += waits.await?;
    }
    say(&format!("r {all} {}", begun.elapsed().as_secs_f64()))
}

/// The product itself, built beside this program.
fn api() -> Result<()> {
    let product = std::env::current_exe()?.with_file_name("../runlane");
    let address = std::env::var("API_BIND_ADDR")?;
    Err(Command::new(product)
        .args(["serve", "--auth", "none", "--concurrency", "0", "--listen", &address])
        .exec()
        .into())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64)
}

fn say(line: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}")?;
    Ok(output.flush()?)
}
