//! `runlane config check`: everything that is wrong, a line each.

use std::fmt::Write;
use std::process::ExitCode;

use serde_json::json;

use crate::cli::Failure;
use crate::cli::client::render::{Paint, Tone, counted, plain};
use crate::cli::client::{print_json, say};
use crate::cli::settings::{Config, Given, Level, Problem};

pub(super) fn check(given: &Given, as_json: bool) -> Result<ExitCode, Failure> {
    let (config, problems) = given.read()?;
    let file = given.path().display().to_string();
    if as_json {
        let listed: Vec<_> = problems.iter().map(Problem::as_json).collect();
        let (errors, warnings) = (count(&problems, Level::Error), count(&problems, Level::Warning));
        print_json(&json!({"file": file, "errors": errors, "warnings": warnings, "problems": listed}));
    } else {
        say(&report(&file, &config, &problems, Paint::for_stdout()));
    }
    Ok(if problems.iter().any(Problem::is_error) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn report(file: &str, config: &Config, problems: &[Problem], paint: Paint) -> String {
    let mut text = lines(problems, paint);
    let tasks = counted(config.tasks.len() as u64, "task");
    let _ = match (count(problems, Level::Error), count(problems, Level::Warning)) {
        (0, 0) => writeln!(text, "{file}: all is well, {tasks}"),
        (0, warnings) => writeln!(text, "{}", counted(warnings, "warning")),
        (errors, 0) => writeln!(text, "{}", counted(errors, "error")),
        (errors, warnings) => writeln!(text, "{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    };
    text
}

/// As compilers say it, so that editors find the place.
pub(super) fn lines(problems: &[Problem], paint: Paint) -> String {
    let mut text = String::new();
    for problem in problems {
        let tone = if problem.is_error() { Tone::Bad } else { Tone::Warn };
        let (at, words) = (plain(&problem.at.to_string()), plain(&problem.words()));
        let _ = writeln!(text, "{}: {}: {words}", paint.strong(&at), paint.tone(tone, problem.level.word()));
    }
    text
}

fn count(problems: &[Problem], level: Level) -> u64 {
    problems.iter().filter(|problem| problem.level == level).count() as u64
}
