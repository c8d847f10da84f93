//! The keys of a task that is a program.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use runlane::executor::process::{ProcessLimits, ProcessTask, ProcessUser};

use super::section::Section;

/// What another machine, or another user, may have: a file is checked in more places than it is used in.
const ELSEWHERE: [&str; 2] = ["cwd", "user"];

pub(super) fn read(section: &mut Section<'_, '_>) -> ProcessTask {
    let usual = ProcessTask::default();
    let command: Option<Vec<String>> = command(section);
    let task = ProcessTask {
        command: command.clone().unwrap_or_default(),
        cwd: section.read("cwd"),
        env: section.map("env"),
        env_allow: section.read("env_allow").unwrap_or_default(),
        stop_grace_seconds: section.read("stop_grace_seconds").unwrap_or(usual.stop_grace_seconds),
        limits: limits(section),
        no_retry_exit_codes: section.read("no_retry_exit_codes").unwrap_or(usual.no_retry_exit_codes),
        retry_later_exit_codes: section.read("retry_later_exit_codes").unwrap_or(usual.retry_later_exit_codes),
        user: user(section),
    };
    for problem in task.problems() {
        let at = section.at(&problem.field);
        match problem.field.as_str() {
            // Said already.
            "command" if command.is_none() => {}
            field if ELSEWHERE.contains(&field) => section.source.warning(at, problem.to_string()),
            _ => section.source.error(at, problem.to_string()),
        }
    }
    if let Some(words) = missing_program(&task) {
        section.source.warning(section.at("command"), words);
    }
    task
}

fn command(section: &mut Section<'_, '_>) -> Option<Vec<String>> {
    if let Some(value) = section.take("command") {
        return section.convert("command", value);
    }
    if !section.is_misspelt("command") {
        let message = "there is no `command`; name a program and its arguments, as in [\"python3\", \"x.py\"]";
        section.source.error(section.at("command"), message);
    }
    None
}

fn limits(section: &mut Section<'_, '_>) -> ProcessLimits {
    let (mut keys, usual) = (section.section("limits"), ProcessLimits::default());
    let limits = ProcessLimits {
        cpu_seconds: keys.read("cpu_seconds"),
        memory_bytes: keys.read("memory_bytes"),
        open_files: keys.read("open_files"),
        processes: keys.read("processes"),
        file_bytes: keys.read("file_bytes"),
        output_bytes: keys.read("output_bytes").unwrap_or(usual.output_bytes),
        log_bytes: keys.read("log_bytes").unwrap_or(usual.log_bytes),
        result_bytes: keys.read("result_bytes").unwrap_or(usual.result_bytes),
    };
    keys.finish();
    limits
}

fn user(section: &mut Section<'_, '_>) -> Option<ProcessUser> {
    let mut keys = section.section("user");
    let is_given = !keys.is_empty();
    let (uid, gid) = (keys.read("uid"), keys.read("gid"));
    if is_given && (uid.is_none() || gid.is_none()) {
        keys.source.error(keys.at("uid"), "`user` takes both, as in { uid = 65534, gid = 65534 }");
    }
    keys.finish();
    Some(ProcessUser { uid: uid?, gid: gid? })
}

/// Says so if the program is not where it would be looked for.
fn missing_program(task: &ProcessTask) -> Option<String> {
    let program = task.command.first().filter(|program| !program.is_empty())?;
    if program.contains('/') {
        let path = task.cwd.clone().unwrap_or_default().join(program);
        return (!is_program(&path)).then(|| format!("there is no program {}", path.display()));
    }
    let path = match task.env.get("PATH") {
        Some(path) => path.into(),
        None => std::env::var_os("PATH")?,
    };
    let found = std::env::split_paths(&path).any(|folder: PathBuf| is_program(&folder.join(program)));
    (!found).then(|| format!("no program {program:?} is found on PATH"))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
