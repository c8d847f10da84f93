//! `runlane config show`: every setting with its value and where it came from, then the tasks and the schedules.

use std::process::ExitCode;

use runlane::actions::TimingRequest;
use serde_json::{Value, json};

use super::look::{say, table};
use super::{check, print_json, redact};
use crate::cli::Failure;
use crate::cli::settings::{
    About, Config, Effective, Given, Origin, Place, Problem, SETTINGS, ScheduleConfig, Schedules, TaskConfig, Tasks,
};

pub(super) fn show(given: &Given, as_json: bool) -> Result<ExitCode, Failure> {
    let (config, problems) = given.read()?;
    let is_wrong = problems.iter().any(Problem::is_error);
    if as_json {
        print_json(&document(&config, &problems));
    } else {
        say(&settings(&config.settings));
        if !config.tasks.is_empty() {
            say(&format!("\n{}", tasks(&config.tasks)));
        }
        if !config.schedules.is_empty() {
            say(&format!("\n{}", schedules(&config.schedules)));
        }
        if is_wrong {
            say(&format!("\n{}", check::lines(&problems)));
        }
    }
    Ok(if is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn settings(settings: &Effective) -> String {
    let row = |about: &About| {
        let value = shown(about, settings).unwrap_or_else(|| format!("({})", about.unset));
        vec![about.name.to_owned(), value, from(&settings.of(about).origin)]
    };
    let rows: Vec<Vec<String>> = SETTINGS.iter().map(|setting| row(setting.about())).collect();
    table(&["setting", "value", "from"], &rows)
}

fn tasks(tasks: &Tasks) -> String {
    let maybe = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    let mut rows = Vec::new();
    for (name, (place, task)) in tasks {
        rows.push(vec![
            name.clone(),
            task.executor().to_owned(),
            maybe(task.queue.as_ref().map(ToString::to_string)),
            maybe(task.max_attempts.map(|attempts| attempts.to_string())),
            maybe(task.timeout_seconds.map(|seconds| format!("{seconds} s"))),
            maybe(task.schema.as_ref().map(|_| "yes".into())),
            format!("{}:{}", place.file, place.line),
            task.process.command.join(" "),
        ]);
    }
    table(&["task", "executor", "queue", "attempts", "timeout", "schema", "from", "command"], &rows)
}

fn schedules(schedules: &Schedules) -> String {
    let mut rows = Vec::new();
    for (name, (place, ScheduleConfig { workspace, wanted })) in schedules {
        let enabled = match wanted.enabled {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        };
        rows.push(vec![
            name.clone(),
            wanted.plan.task.to_string(),
            when(&wanted.plan.timing),
            enabled.to_owned(),
            workspace.to_string(),
            format!("{}:{}", place.file, place.line),
        ]);
    }
    table(&["schedule", "task", "when", "enabled", "workspace", "from"], &rows)
}

fn when(timing: &TimingRequest) -> String {
    match (&timing.cron, timing.every_seconds, timing.at) {
        (Some(cron), ..) => format!("{cron} {}", timing.timezone.as_deref().unwrap_or("UTC")),
        (_, Some(seconds), _) => format!("every {seconds} s"),
        (_, _, Some(at)) => format!("once, {at}"),
        _ => "–".into(),
    }
}

fn schedule_as_json(at: String, schedule: &ScheduleConfig) -> Value {
    let ScheduleConfig { workspace, wanted } = schedule;
    let (plan, timing) = (&wanted.plan, &wanted.plan.timing);
    json!({
        "at": at,
        "workspace": workspace,
        "task": plan.task,
        "payload": plan.payload,
        "cron": timing.cron,
        "timezone": timing.timezone,
        "dst": timing.dst,
        "every_seconds": timing.every_seconds,
        "starts_at": timing.starts_at,
        "once_at": timing.at,
        "overlap": plan.overlap,
        "catch_up_limit": plan.catch_up_limit,
        "start_within_seconds": plan.start_within_seconds,
        "jitter_seconds": plan.jitter_seconds,
        "queue": plan.queue,
        "lane": plan.lane,
        "priority": plan.priority,
        "max_attempts": plan.max_attempts,
        "timeout_seconds": plan.timeout_seconds,
        "metadata": plan.metadata,
        "enabled": wanted.enabled,
    })
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
    let schedule = |(name, (place, schedule)): (&String, &(Place, ScheduleConfig))| {
        (name.clone(), schedule_as_json(place.to_string(), schedule))
    };
    let schedules: serde_json::Map<_, _> = config.schedules.iter().map(schedule).collect();
    let problems: Vec<Value> = problems.iter().map(Problem::as_json).collect();
    json!({"settings": settings, "tasks": tasks, "schedules": schedules, "problems": problems})
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
        "no_retry_exit_codes": process.no_retry_exit_codes,
        "retry_later_exit_codes": process.retry_later_exit_codes,
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
