//! Two layouts of the same runs in bare SQL, and the cycle submit, claim, finish that compares them.

use std::time::{Duration, Instant};

use tokio_postgres::{Client, Statement};
use uuid::Uuid;

use crate::Settings;
use crate::database::{Held, Result, connect};
use crate::raw;
use crate::report::Report;

const COMMON: &str = include_str!("layouts/common.sql");
const BATCH: usize = 1000;

struct Layout {
    name: &'static str,
    file: &'static str,
}

const LAYOUTS: [Layout; 2] = [
    Layout { name: "bare hot/cold", file: include_str!("layouts/hot_cold.sql") },
    Layout { name: "bare single table", file: include_str!("layouts/single_table.sql") },
];

/// Both layouts: alone, with history behind them, and while a transaction is held open.
pub async fn measure(settings: &Settings, report: &mut Report) -> Result<()> {
    for layout in &LAYOUTS {
        let url = crate::database::create(&settings.url).await?;
        connect(&url).await?.batch_execute(&section(layout.file, "schema")).await?;
        cycle(layout, settings, &url, "", report).await?;
        connect(&url).await?.execute(&section(layout.file, "fill"), &[&(settings.history as i64)]).await?;
        crate::database::vacuum(&url).await?;
        cycle(layout, settings, &url, &format!(", {} finished", settings.history), report).await?;
        crate::database::drop(&settings.url, &url).await?;
    }
    for layout in &LAYOUTS {
        let url = crate::database::create(&settings.url).await?;
        connect(&url).await?.batch_execute(&section(layout.file, "schema")).await?;
        let reference = raw::insert_rate(&settings.url).await?;
        let held = Held::open(&url, "runs").await?;
        let rate = repeat(layout, &url, settings.held).await?;
        held.close().await?;
        let name = format!("claim + finish, transaction held open {} s", settings.held.as_secs());
        report.add(layout.name, &name, rate, reference);
        crate::database::drop(&settings.url, &url).await?;
    }
    Ok(())
}

async fn cycle(layout: &Layout, settings: &Settings, url: &str, label: &str, report: &mut Report) -> Result<()> {
    for _ in 0..settings.repetitions {
        for loops in [1, 2] {
            let reference = raw::insert_rate(&settings.url).await?;
            let session = Session::open(url, layout).await?;
            let took = session.submit(settings.runs).await?;
            report.add(layout.name, &format!("submit{label}"), per_second(settings.runs, took), reference);
            crate::database::vacuum(url).await?;
            let from = session.last_seq().await? - settings.runs as i64;
            let other = Session::open(url, layout).await?;
            let started = Instant::now();
            let done = match loops {
                1 => session.drain(from).await?,
                _ => {
                    let (one, two) = tokio::try_join!(session.drain(from), other.drain(from))?;
                    one + two
                }
            };
            let name = format!("claim + finish, {loops} connection(s){label}");
            report.add(layout.name, &name, per_second(done, started.elapsed()), reference);
        }
    }
    Ok(())
}

/// The cycle again and again for the whole period; only claiming and finishing count.
async fn repeat(layout: &Layout, url: &str, period: Duration) -> Result<f64> {
    let session = Session::open(url, layout).await?;
    let (started, mut done, mut took) = (Instant::now(), 0, Duration::ZERO);
    while started.elapsed() < period {
        let from = session.last_seq().await?;
        session.submit(20 * BATCH).await?;
        let cycle = Instant::now();
        done += session.drain(from).await?;
        took += cycle.elapsed();
    }
    Ok(per_second(done, took))
}

fn per_second(runs: usize, took: Duration) -> f64 {
    runs as f64 / took.as_secs_f64()
}

fn section(file: &str, name: &str) -> String {
    let start = format!("-- name: {name}\n");
    let (_, rest) = file.split_once(&start).expect("the statement is in the file");
    rest.split("-- name:").next().unwrap_or(rest).trim().to_owned()
}

struct Session {
    client: Client,
    submit: Statement,
    claim: Statement,
    finish: Statement,
}

impl Session {
    async fn open(url: &str, layout: &Layout) -> Result<Self> {
        let client = connect(url).await?;
        Ok(Self {
            submit: client.prepare(&section(COMMON, "submit")).await?,
            claim: client.prepare(&section(COMMON, "claim")).await?,
            finish: client.prepare(&section(layout.file, "finish")).await?,
            client,
        })
    }

    async fn last_seq(&self) -> Result<i64> {
        let sql = "select coalesce(last_value, 0) from runs_seq_seq";
        Ok(self.client.query_one(sql, &[]).await?.get(0))
    }

    async fn submit(&self, runs: usize) -> Result<Duration> {
        let started = Instant::now();
        for first in (0..runs).step_by(BATCH) {
            let n = BATCH.min(runs - first);
            let ids: Vec<Uuid> = (0..n).map(|_| Uuid::now_v7()).collect();
            let payloads: Vec<String> = (first..first + n).map(crate::cycle::payload).collect();
            let (names, none) = (|name| vec![name; n], vec![None::<&str>; n]);
            let (workspaces, tasks, queues) = (names("main"), names("noop"), names("default"));
            let priorities = vec![0i16; n];
            self.client
                .execute(&self.submit, &[&ids, &workspaces, &tasks, &queues, &none, &priorities, &payloads])
                .await?;
        }
        Ok(started.elapsed())
    }

    /// Claims and finishes until nothing after `place` is left.
    async fn drain(&self, mut place: i64) -> Result<usize> {
        let mut done = 0;
        loop {
            let worker = Uuid::nil();
            let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
                [&"main", &"default", &(BATCH as i64), &worker, &"host", &place];
            let rows = self.client.query(&self.claim, &parameters).await?;
            let ids: Vec<Uuid> = rows.iter().map(|row| row.get(0)).collect();
            let Some(last) = rows.iter().map(|row| row.get(2)).max() else { return Ok(done) };
            place = last;
            // Every run here is in its first lease.
            let finished = self.client.query(&self.finish, &[&ids, &1i64]).await?.len();
            assert_eq!(finished, ids.len(), "every claimed run is finished");
            done += finished;
        }
    }
}
