//! What the machine gives without a queue: the figures that make measurements of different days comparable.

use std::time::Instant;

use crate::database::{Result, connect};

const SCHEMA: &str = "create table if not exists ref (id bigserial primary key, kind text not null,
    payload jsonb not null, status smallint not null default 0, run_at timestamptz not null default now(),
    attempts int not null default 0);
    create index if not exists ref_ready on ref (run_at) where status = 0;
    truncate ref";
const INSERT: &str = r#"insert into ref (kind, payload)
values ('noop', '{"i": 1, "text": "lorem ipsum dolor sit amet consectetu"}');
"#;

/// Commits per second of single-row inserts by 8 clients for 4 s: r = 1 in every table.
pub async fn insert_rate(url: &str) -> Result<f64> {
    connect(url).await?.batch_execute(SCHEMA).await?;
    let script = std::env::temp_dir().join(format!("runlane-pgbench-{}.sql", std::process::id()));
    std::fs::write(&script, INSERT)?;
    let pgbench = std::path::Path::new(&std::env::var("RUNLANE_TEST_PGBIN")?).join("pgbench");
    let output = tokio::process::Command::new(pgbench)
        .args(["-n", "-M", "prepared", "-c", "8", "-j", "2", "-T", "4", "-f"])
        .arg(&script)
        .arg(url)
        .output()
        .await?;
    std::fs::remove_file(&script)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    rate.ok_or_else(|| format!("pgbench: {text}{}", String::from_utf8_lossy(&output.stderr)).into())
}

/// Rows per second through a bare claim and a bare completion, 1000 at a time in one session.
pub async fn set_based_rate(url: &str) -> Result<f64> {
    const ROWS: i32 = 50_000;
    let client = connect(url).await?;
    client.batch_execute(SCHEMA).await?;
    let fill = "insert into ref (kind, payload) select 'noop',
        jsonb_build_object('i', g, 'text', 'lorem ipsum dolor sit amet consectetu') from generate_series(1, $1::int) g";
    client.execute(fill, &[&ROWS]).await?;
    client.batch_execute("vacuum analyze ref").await?;
    client.batch_execute("checkpoint").await?;
    let claim = client
        .prepare(
            "with c as (select id from ref where status = 0 and run_at <= now() order by run_at limit 1000
                for update skip locked)
            update ref r set status = 1, attempts = attempts + 1 from c where r.id = c.id returning r.id, r.payload::text",
        )
        .await?;
    let complete = client.prepare("update ref set status = 2 where id = any ($1)").await?;
    let started = Instant::now();
    let mut done = 0;
    while done < ROWS {
        let ids: Vec<i64> = client.query(&claim, &[]).await?.iter().map(|row| row.get(0)).collect();
        done += client.execute(&complete, &[&ids]).await? as i32;
    }
    Ok(f64::from(ROWS) / started.elapsed().as_secs_f64())
}

pub async fn measure(settings: &crate::Settings, report: &mut crate::report::Report) -> Result<()> {
    for _ in 0..settings.repetitions {
        let reference = insert_rate(&settings.url).await?;
        report.add("bare PostgreSQL", "single-row inserts, 8 clients", reference, reference);
        let set_based = set_based_rate(&settings.url).await?;
        report.add("bare PostgreSQL", "set-based claim + update by 1000", set_based, reference);
    }
    Ok(())
}
