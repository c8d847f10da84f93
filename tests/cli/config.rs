//! `runlane config`: what is wrong is said where it is, what is set is shown with who said so.

use std::path::Path;
use std::process::{Command, Output};

use super::said;

/// In a folder with this file, and with nothing in the environment but what is given.
fn config(folder: &Path, file: &str, args: &[&str], env: &[(&str, &str)]) -> Output {
    std::fs::write(folder.join("runlane.toml"), file).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_runlane"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("RUNLANE_") || name == "DATABASE_URL" {
            command.env_remove(name);
        }
    }
    command.args(args).envs(env.iter().copied()).current_dir(folder).output().expect("the binary starts")
}

const WRONG: &str = "\
concurency = 4
heartbeat_seconds = 20

[tasks.resize]
executor = \"process\"
comand = [\"true\"]
schema = \"no/such.json\"

[tasks.absent]
executor = \"process\"
command = [\"no-such-program-anywhere\"]
";

const RIGHT: &str = "\
database = \"postgres://app:secret@db/app\"
queues = [\"default\", \"reports:1\"]

[tasks.greet]
executor = \"process\"
command = [\"sh\", \"-c\", \"true\"]
env = { PASSWORD = \"secret\" }
queue = \"greetings\"
timeout_seconds = 60
";

#[test]
fn check_says_everything_that_is_wrong_and_where() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = config(folder.path(), WRONG, &["config", "check"], &[]);
    insta::assert_snapshot!(said(&output.stdout));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn whoever_starts_with_a_wrong_file_says_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let checked = config(folder.path(), WRONG, &["config", "check"], &[]);
    let errors: Vec<&str> = said(&checked.stdout).lines().filter(|line| line.contains(": error: ")).collect();
    assert_eq!(errors.len(), 4);
    let verbs: &[&str] = if cfg!(feature = "api") { &["worker", "serve", "dev"] } else { &["worker"] };
    for verb in verbs {
        let output = config(folder.path(), WRONG, &[verb], &[]);
        assert_eq!(
            said(&output.stderr),
            format!("error: the configuration is invalid\n{}", errors.join("\n")),
            "{verb}"
        );
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn check_is_content_with_what_is_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = config(folder.path(), RIGHT, &["config", "check"], &[]);
    assert_eq!((said(&output.stdout), output.status.code()), ("runlane.toml: all is well, 1 task", Some(0)));
    let output = config(folder.path(), RIGHT, &["config", "check"], &[("RUNLANE_HEARTBEAT_SECONDS", "soon")]);
    let expected =
        "RUNLANE_HEARTBEAT_SECONDS: error: `heartbeat_seconds`: \"soon\" is not a number of seconds\n1 error";
    assert_eq!((said(&output.stdout), output.status.code()), (expected, Some(1)));
}

#[test]
fn check_says_it_as_data_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = config(folder.path(), WRONG, &["config", "check", "--json"], &[]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&answer["errors"], &answer["warnings"]), (&4.into(), &1.into()));
    let first = serde_json::json!({
        "level": "error",
        "at": {"kind": "file", "file": "runlane.toml", "line": 1, "column": 1},
        "message": "there is no key `concurency`",
        "hint": "did you mean `concurrency`?",
    });
    assert_eq!(answer["problems"][0], first);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn show_says_who_said_what_and_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let (args, env) = (["config", "show", "--concurrency", "4"], [("RUNLANE_HISTORY_DAYS", "7")]);
    let output = config(folder.path(), RIGHT, &args, &env);
    assert!(!said(&output.stdout).contains("secret"));
    insta::assert_snapshot!(said(&output.stdout));
    let output = config(folder.path(), RIGHT, &["config", "show", "--json"], &env);
    assert!(!said(&output.stdout).contains("secret"));
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let from_file = serde_json::json!({"kind": "file", "file": "runlane.toml", "line": 1, "column": 1});
    assert_eq!(shown["settings"][0]["value"], "postgres://app:***@db/app");
    assert_eq!(shown["settings"][0]["from"], from_file);
    assert_eq!(shown["tasks"]["greet"]["queue"], "greetings");
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = config(folder.path(), "", &["config", "check", "--config", "other.toml"], &[]);
    assert!(said(&output.stderr).starts_with("error: cannot read other.toml: "), "{}", said(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_example_is_one_that_check_is_content_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let example = config(folder.path(), "", &["config", "example"], &[]);
    let output = config(folder.path(), said(&example.stdout), &["config", "check"], &[]);
    assert_eq!(said(&output.stdout), "runlane.toml: all is well, 2 tasks and 3 schedules");
}
