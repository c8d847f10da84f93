//! The PostgreSQL store: alone, with history behind it, and while a transaction is held open.

use std::sync::Arc;
use std::time::{Duration, Instant};

use runlane::clock::Clock;
use runlane::store::Store;
use runlane::store::postgres::PostgresStore;

use crate::cycle::{Effort, drain, submit};
use crate::database::{Held, Result, connect, create, drop, vacuum};
use crate::report::Report;
use crate::{Settings, raw};

const NAME: &str = "Runlane on PostgreSQL";

/// History filled by SQL, as the store itself would have written it.
const FILL: &str = "insert into runlane.history (id, seq, workspace, task, queue, priority, status, payload, attempt,
        max_attempts, attempts_granted, interruptions, epoch, available_at, requested_at, started_at,
        attempt_started_at, worker, host, awaited, finished_at)
    select ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, -i, 'default', 'noop', 'default', 0,
        'succeeded', json_build_object('i', i, 'text', 'lorem ipsum dolor sit amet consectetu'), 1, 3, 3, 0, 1, now(),
        now(), now(), now(), '00000000-0000-7000-8000-000000000000', 'bench', false, now()
    from generate_series(1, $1::bigint) as i";

async fn fresh(settings: &Settings) -> Result<(String, Arc<dyn Store>)> {
    let url = create(&settings.url).await?;
    PostgresStore::migrate(&url).await?;
    let store = PostgresStore::connect(&url, Clock::Database).await?;
    Ok((url, Arc::new(store)))
}

pub async fn measure(settings: &Settings, report: &mut Report) -> Result<()> {
    let (url, store) = fresh(settings).await?;
    cycles(settings, &url, &store, "", report).await?;
    drop(&settings.url, &url).await
}

pub async fn measure_history(settings: &Settings, report: &mut Report) -> Result<()> {
    let (url, store) = fresh(settings).await?;
    connect(&url).await?.execute(FILL, &[&(settings.history as i64)]).await?;
    vacuum(&url).await?;
    cycles(settings, &url, &store, &format!(", {} finished", settings.history), report).await?;
    drop(&settings.url, &url).await
}

async fn cycles(
    settings: &Settings,
    url: &str,
    store: &Arc<dyn Store>,
    label: &str,
    report: &mut Report,
) -> Result<()> {
    for _ in 0..settings.repetitions {
        for tasks in [1, 2, 3] {
            let effort = Effort { runs: settings.runs, batch: settings.batch, tasks };
            let reference = raw::insert_rate(&settings.url).await?;
            report.add(NAME, &format!("submit, {tasks} task(s){label}"), submit(store, effort).await?, reference);
            vacuum(url).await?;
            let rate = drain(store, effort).await?;
            report.add(NAME, &format!("claim + finish, {tasks} task(s){label}"), rate, reference);
        }
    }
    Ok(())
}

/// The same cycle repeated for the whole period, without and with the transaction.
pub async fn measure_held(settings: &Settings, report: &mut Report) -> Result<()> {
    for held in [false, true] {
        let (url, store) = fresh(settings).await?;
        let reference = raw::insert_rate(&settings.url).await?;
        let transaction = if held { Some(Held::open(&url, "runlane.runs").await?) } else { None };
        let rate = repeat(settings, &store).await?;
        let seconds = settings.held.as_secs();
        let name =
            if held { format!("cycles, transaction held open {seconds} s") } else { format!("cycles for {seconds} s") };
        report.add(NAME, &name, rate, reference);
        if let Some(transaction) = transaction {
            transaction.close().await?;
        }
        drop(&settings.url, &url).await?;
    }
    Ok(())
}

async fn repeat(settings: &Settings, store: &Arc<dyn Store>) -> Result<f64> {
    let (started, mut done, mut took) = (Instant::now(), 0, Duration::ZERO);
    let effort = Effort { runs: 20 * settings.batch, batch: settings.batch, tasks: 2 };
    while started.elapsed() < settings.held {
        submit(store, effort).await?;
        let rate = drain(store, effort).await?;
        took += Duration::from_secs_f64(effort.runs as f64 / rate);
        done += effort.runs;
    }
    Ok(done as f64 / took.as_secs_f64())
}
