//! `runlane config check`: everything that is wrong, a line each.

use std::fmt::Write;
use std::process::ExitCode;

use serde_json::json;

use super::look::{BAD, STRONG, WARN, counted, plain, say, styled};
use super::print_json;
use crate::cli::Failure;
use crate::cli::settings::{Config, Given, Problem};
use crate::cli::usage::without_os_codes;

pub(super) fn check(given: &Given, as_json: bool) -> Result<ExitCode, Failure> {
    let (config, problems) = given.read()?;
    let file = given.path().display().to_string();
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    let warnings = problems.len() - errors;
    if as_json {
        let listed: Vec<_> = problems.iter().map(Problem::as_json).collect();
        print_json(&json!({"file": file, "errors": errors, "warnings": warnings, "problems": listed}));
    } else {
        say(&format!("{}{}\n", lines(&problems), summary(&file, &config, errors, warnings)));
    }
    Ok(if errors > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn summary(file: &str, config: &Config, errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => {
            let tasks = counted(config.tasks.len(), "task");
            let schedules = match config.schedules.len() {
                0 => String::new(),
                number => format!(" and {}", counted(number, "schedule")),
            };
            format!("{file}: all is well, {tasks}{schedules}")
        }
        (0, warnings) => counted(warnings, "warning"),
        (errors, 0) => counted(errors, "error"),
        (errors, warnings) => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    }
}

/// As compilers say it, so that editors find the place.
pub(super) fn lines(problems: &[Problem]) -> String {
    let mut text = String::new();
    for problem in problems {
        let style = if problem.is_error() { BAD } else { WARN };
        let (at, level) = (styled(STRONG, &problem.at.to_string()), styled(style, problem.level.word()));
        let _ = writeln!(text, "{at}: {level}: {}", plain(&without_os_codes(&problem.words())));
    }
    text
}
