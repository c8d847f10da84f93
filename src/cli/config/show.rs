//! `runlane config show`: every setting with its value and where it came from, then the tasks.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::{check, redact};
use crate::cli::Failure;
use crate::cli::client::render::{Cell, Paint, Table};
use crate::cli::client::{print_json, say};
use crate::cli::settings::{About, Config, Effective, Given, Origin, Problem, SETTINGS, TaskConfig, Tasks};

pub(super) fn show(given: &Given, as_json: bool) -> Result<ExitCode, Failure> {
    let (config, problems) = given.read()?;
    let is_wrong = problems.iter().any(Problem::is_error);
    if as_json {
        print_json(&document(&config, &problems));
    } else {
        let paint = Paint::for_stdout();
        say(&settings(&config.settings).render(paint));
        if !config.tasks.is_empty() {
            say(&format!("\n{}", tasks(&config.tasks).render(paint)));
        }
        if is_wrong {
            say(&format!("\n{}", check::lines(&problems, paint)));
        }
    }
    Ok(if is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn settings(settings: &Effective) -> Table {
    let mut table = Table::new(&["setting", "value", "from"]);
    for about in SETTINGS.iter().map(|setting| setting.about()) {
        let value = shown(about, settings);
        let value = value.map_or_else(|| Cell::of(format!("({})", about.unset)).quiet(), Cell::of);
        let origin = &settings.of(about).origin;
        let from = Cell::of(from(origin));
        table.add(vec![Cell::of(about.name), value, if *origin == Origin::Default { from.quiet() } else { from }]);
    }
    table
}

fn tasks(tasks: &Tasks) -> Table {
    let mut table = Table::new(&["task", "executor", "queue", "attempts", "timeout", "schema", "from", "command"]);
    for (name, (place, task)) in tasks {
        table.add(vec![
            Cell::of(name),
            Cell::of(task.executor()),
            Cell::maybe(task.queue.as_ref().map(ToString::to_string)),
            Cell::maybe(task.max_attempts.map(|attempts| attempts.to_string())),
            Cell::maybe(task.timeout_seconds.map(|seconds| format!("{seconds} s"))),
            Cell::maybe(task.schema.is_some().then_some("yes")),
            Cell::of(format!("{}:{}", place.file, place.line)),
            Cell::of(task.process.command.join(" ")),
        ]);
    }
    table
}

fn from(origin: &Origin) -> String {
    match origin {
        Origin::File(place) => format!("{}:{}", place.file, place.line),
        other => other.to_string(),
    }
}

/// The value, without what is secret in it.
fn shown(about: &About, settings: &Effective) -> Option<String> {
    let text = settings.of(about).text.clone()?;
    Some(if about.is_secret { redact::url(&text) } else { text })
}

fn document(config: &Config, problems: &[Problem]) -> Value {
    let setting = |about: &About| {
        let value = shown(about, &config.settings);
        json!({"name": about.name, "value": value, "from": config.settings.of(about).origin.as_json()})
    };
    let settings: Vec<Value> = SETTINGS.iter().map(|known| setting(known.about())).collect();
    let tasks: serde_json::Map<_, _> =
        config.tasks.iter().map(|(name, (place, task))| (name.clone(), as_json(place.to_string(), task))).collect();
    let problems: Vec<Value> = problems.iter().map(Problem::as_json).collect();
    json!({"settings": settings, "tasks": tasks, "problems": problems})
}

/// Of variables only the names: their values are what secrets are kept in.
fn as_json(at: String, task: &TaskConfig) -> Value {
    let process = &task.process;
    json!({
        "at": at,
        "executor": task.executor(),
        "command": process.command,
        "cwd": process.cwd,
        "env": process.env.keys().collect::<Vec<_>>(),
        "env_allow": process.env_allow,
        "limits": process.limits,
        "user": process.user,
        "stop_grace_seconds": process.stop_grace_seconds,
        "timeout_seconds": task.timeout_seconds,
        "max_attempts": task.max_attempts,
        "retry": task.retry,
        "queue": task.queue.as_ref().map(ToString::to_string),
        "schema": task.schema,
        "usage_limits": task.usage_limits,
    })
}
