//! What a file, the environment and flags come to, and that the docs and the example know every key.

use std::collections::BTreeSet;

use super::*;

const TASK: &str = "[tasks.resize]\nexecutor = \"process\"\ncommand = [\"sh\", \"resize.sh\"]\n";

fn problems(text: &str) -> Vec<String> {
    let (_, problems) = Given::default().understand("runlane.toml", text);
    problems.iter().map(ToString::to_string).collect()
}

fn given(environment: &[(&str, &str)], flags: &[(&'static str, &str)]) -> Given {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Given {
        environment: environment.iter().map(owned).collect(),
        flags: flags.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
        ..Given::default()
    }
}

#[test]
fn flags_are_louder_than_the_environment_and_that_than_the_file() {
    let file = "concurrency = 3\nheartbeat_seconds = 0.5\nlease_ttl_seconds = 9\n";
    let given = given(&[("RUNLANE_CONCURRENCY", "4"), ("RUNLANE_LEASE_TTL_SECONDS", "8")], &[("concurrency", "5")]);
    let (config, problems) = given.understand("runlane.toml", file);
    assert_eq!(problems, []);
    let from = |about: &About| config.settings.of(about).origin.to_string();
    assert_eq!((config.settings.value(&CONCURRENCY), from(&CONCURRENCY.about)), (5, "--concurrency".into()));
    assert_eq!(config.settings.value(&LEASE_TTL_SECONDS).as_secs(), 8);
    assert_eq!(from(&LEASE_TTL_SECONDS.about), "RUNLANE_LEASE_TTL_SECONDS");
    assert_eq!(from(&HEARTBEAT_SECONDS.about), "runlane.toml:2:1");
    assert_eq!(
        (config.settings.value(&AUDIT_DAYS).as_secs(), from(&AUDIT_DAYS.about)),
        (400 * 86_400, "default".into())
    );
    assert_eq!(config.settings.said(&AUDIT_DAYS), None);
}

#[test]
fn a_setting_may_have_other_names_but_not_two_at_once() {
    let concurrency = |given: Given, file: &str| {
        let (config, problems) = given.understand("runlane.toml", file);
        assert_eq!(problems, []);
        config.settings.value(&CONCURRENCY)
    };
    assert_eq!(concurrency(Given::default(), "max_concurrency = 7"), 7);
    assert_eq!(concurrency(given(&[("RUNLANE_MAX_CONCURRENCY", "6")], &[]), "concurrency = 7"), 6);
    let expected = "runlane.toml:2:1: error: `max_concurrency` is another name for `concurrency`, which is there too";
    assert_eq!(problems("concurrency = 1\nmax_concurrency = 2"), [expected]);
    let database = |variables: &[(&str, &str)]| {
        given(variables, &[]).understand("", "database = \"sqlite:file\"").0.settings.get(&DATABASE).expect("one")
    };
    assert_eq!(database(&[]), "sqlite:file");
    assert_eq!(database(&[("DATABASE_URL", "sqlite:url")]), "sqlite:url");
    assert_eq!(database(&[("DATABASE_URL", "sqlite:url"), ("RUNLANE_DATABASE", "sqlite:ours")]), "sqlite:ours");
    assert_eq!(database(&[("DATABASE_URL", "")]), "sqlite:file");
}

#[test]
fn everything_that_is_wrong_is_said_with_its_place() {
    let text = "concurency = 4\nqueues = [\"a:x\"]\nlisten = 8080\n[tasks.resize]\nexecutor = \"process\"\n\
                comand = [\"x\"]\n[tasks.b]\nexecutor = \"dokcer\"\n[tasks.c]\nexecutor = \"process\"\n";
    assert_eq!(
        problems(text),
        [
            "runlane.toml:1:1: error: there is no key `concurency`; did you mean `concurrency`?",
            "runlane.toml:2:1: error: `queues`: \"a:x\": the limit of a queue is a number, as in reports:1",
            "runlane.toml:3:10: error: `listen` must be text in quotes, not 8080",
            "runlane.toml:6:1: error: there is no key `comand` in [tasks.resize]; did you mean `command`?",
            "runlane.toml:8:12: error: there is no executor \"dokcer\"; there is process",
            "runlane.toml:9:8: error: there is no `command`; name a program and its arguments, as in \
             [\"python3\", \"x.py\"]",
        ]
    );
}

#[test]
fn what_is_no_toml_is_said_beside_the_rest() {
    let found = problems("concurrency = \nqueu = [\"a\"]\nhost = \"a\"\nhost = \"b\"\n");
    assert!(found[0].starts_with("runlane.toml:1:15: error: "), "{found:?}");
    assert_eq!(found[1], "runlane.toml:2:1: error: there is no key `queu`; did you mean `queue`?");
    assert_eq!(found[2], "runlane.toml:4:1: error: duplicate key `host`");
    assert_eq!(found.len(), 3);
}

#[test]
fn settings_must_go_together() {
    let found = problems("heartbeat_seconds = 20");
    let expected = "runlane.toml:1:1: error: `lease_ttl_seconds` is 30; \
                    it must be at least three times `heartbeat_seconds`, which is 20";
    assert_eq!(found, [expected]);
    let found = problems("listen = \"0.0.0.0:80\"\nauth = \"none\"");
    assert!(
        found[0].starts_with("runlane.toml:2:1: error: `auth` is none, but others can reach `listen`"),
        "{found:?}"
    );
}

#[test]
fn a_variable_that_is_nearly_a_setting_is_pointed_out() {
    let variables =
        [("RUNLANE_CONCURENCY", "3"), ("RUNLANE_URL", "x"), ("RUNLANE_CHAOS_RUNS", "5"), ("RUNLANE_LOGS", "x")];
    let (_, problems) = given(&variables, &[]).understand("", "");
    let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "RUNLANE_CONCURENCY: warning: no setting is called so; did you mean RUNLANE_CONCURRENCY?",
            "RUNLANE_LOGS: warning: no setting is called so; did you mean RUNLANE_LOG?",
        ]
    );
}

#[test]
fn a_task_is_judged_in_full() {
    let more = "timeout_seconds = 0\nqueue = \"\"\nschema = \"no/such.json\"\nstop_grace_seconds = \"10\"\n\
                env = { A = 1 }\nlimits = { log_bytes = 0, cpu_secs = 1 }\nuser = { uid = 7 }\n\
                retry = { base_seconds = 100 }\nat_shutdown = \"paus\"\ncwd = \"/no/such/place\"\n";
    let found = problems(&format!("{TASK}{more}"));
    let expected = [
        "4:19: error: `timeout_seconds` must be a whole number from 1 to",
        "5:1: error: `queue`: queue is empty",
        "6:10: error: `schema` no/such.json: ",
        "7:22: error: `stop_grace_seconds` must be a whole number, 0 or more, not \"10\"",
        "8:13: error: `A` must be text in quotes, not 1",
        "9:12: error: limits.log_bytes is 0",
        "9:27: error: there is no key `cpu_secs` in [tasks.resize.limits]; did you mean `cpu_seconds`?",
        "10:10: error: `user` takes both",
        "11:1: error: `cap_seconds` is shorter than `base_seconds`",
        "12:1: error: `at_shutdown` cannot be \"paus\"; did you mean `pause`?",
        "13:1: warning: cwd /no/such/place: ",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(&format!("runlane.toml:{expected}")), "{found} is not {expected}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
}

#[test]
fn a_schedule_is_judged_in_full() {
    let file = format!(
        "{TASK}{}",
        "\
[schedules.a]
task = \"resiz\"
cron = \"61 * * * *\"
priority = 5000
overlap = \"forbit\"
payload = nan
croon = 1
[schedules.b]
task = \"resize\"
cron = \"@daily\"
timezone = \"Europe/Berln\"
[schedules.c]
cron = \"@daily\"
[schedules.d]
task = \"resize\"
[schedules.e]
task = \"resize\"
every_seconds = 60
at = \"soon\"
dst = { gap = \"afer\" }
grant = { user_id = \"ada\" }
[schedules.01a1e2ca-77aa-7d10-a2f5-d6e1fce4b0a1]
task = \"resize\"
at = 2020-01-01T00:00:00Z
[schedules.f]
task = \"echo\"
cron = \"@daily\"
"
    );
    let found = problems(&file);
    let expected = [
        "5:8: warning: there is no task `resiz` in this file; did you mean `resize`?",
        "6:1: error: \"61 * * * *\" ",
        "7:1: error: priority 5000 is out of range",
        "8:11: error: `overlap` cannot be \"forbit\"; did you mean `forbid`?",
        "9:11: error: `payload` has a number that JSON does not take: nan",
        "10:1: error: there is no key `croon` in [schedules.a]; did you mean `cron`?",
        "14:1: error: \"Europe/Berln\" is not a time zone; did you mean Europe/Berlin?",
        "15:12: error: there is no `task`; name the task that it runs",
        "17:12: error: no time is given for the schedule; give one of cron, every_seconds and at",
        "22:6: error: `at` must be an instant, as in 2026-11-20T09:00:00Z, not \"soon\"",
        "23:15: error: `gap` cannot be \"afer\"; did you mean `after`?",
        "24:11: error: `grant` takes `user_id`, `billing_account` and `scopes`",
        "25:12: error: the name \"01a1e2ca-77aa-7d10-a2f5-d6e1fce4b0a1\" looks like an id",
        "29:8: warning: there is no task `echo` in this file; it is there in `dev`, or with demo_tasks = true",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(&format!("runlane.toml:{expected}")), "{found} is not {expected}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}

#[test]
fn a_schedule_is_held_against_the_schema_of_its_task_and_without_a_queue_the_task_must_be_here() {
    let task = format!("{TASK}schema = {{ type = \"object\" }}\n");
    let found = problems(&format!("{task}[schedules.a]\ntask = \"resize\"\ncron = \"@daily\"\npayload = 7\n"));
    assert!(found[0].starts_with("runlane.toml:8:1: error: the payload does not suit the task: 7 is not"), "{found:?}");
    let found = problems("queue_enabled = false\n[schedules.a]\ntask = \"other\"\ncron = \"@daily\"\n");
    assert!(found[0].starts_with("runlane.toml:3:8: error: there is no task `other`; without a queue"), "{found:?}");
}

#[test]
fn a_program_that_is_not_here_may_be_elsewhere() {
    let found = problems("[tasks.a]\nexecutor = \"process\"\ncommand = [\"no-such-program-anywhere\"]\n");
    assert_eq!(found, ["runlane.toml:3:1: warning: no program \"no-such-program-anywhere\" is found on PATH"]);
}

#[test]
fn the_defaults_are_those_of_the_library() {
    let settings = Config::of("").settings;
    let (ours, usual) = (crate::cli::worker::worker_settings(&settings), runlane::worker::Settings::default());
    assert_eq!(format!("{ours:?}"), format!("{usual:?}"));
    let usual = runlane::maintenance::Settings::default().retention;
    assert_eq!(settings.value(&HISTORY_DAYS), usual.finished.unsigned_abs());
    assert_eq!(settings.value(&AUDIT_DAYS), usual.audit.unsigned_abs());
    assert_eq!(settings.value(&USAGE_DAYS), usual.usage.unsigned_abs());
}

/// Every key a file may have, as it stands there: of settings, of tasks and of schedules.
fn keys() -> [BTreeSet<String>; 3] {
    let text = "[tasks.x]\nexecutor = \"process\"\n";
    let source = ParsedFile::new("", text);
    let table = DeTable::parse(text).expect("TOML");
    let mut file = Section::new(&source, String::new(), table.get_ref());
    effective::gather(&mut file, &Given::default(), &mut Vec::new());
    tasks::read(file.section("tasks"));
    let text = "[schedules.x]\ntask = \"x\"\n";
    let table = DeTable::parse(text).expect("TOML");
    let mut other = Section::new(&source, String::new(), table.get_ref());
    schedules::read(other.section("schedules"), &Tasks::new(), &Effective::default());
    let known = source.known.borrow();
    let last = |key: &String| key.rsplit('.').next().unwrap_or_default().to_owned();
    let within = |table: &str| known.iter().filter(|key| key.starts_with(table)).map(last).collect();
    let is_setting = |key: &&String| !key.starts_with("tasks") && !key.starts_with("schedules");
    [known.iter().filter(is_setting).cloned().collect(), within("tasks."), within("schedules.")]
}

#[test]
fn the_example_is_right_and_has_every_key() {
    let text = std::fs::read_to_string("examples/runlane.toml").expect("the example");
    assert_eq!(problems(&text), Vec::<String>::new());
    let [settings, tasks, schedules] = keys();
    assert!(settings.len() > 15 && tasks.len() > 15 && schedules.len() > 15, "{settings:?} {tasks:?} {schedules:?}");
    for key in settings.iter().chain(&tasks).chain(&schedules) {
        let begins = |line: &str| line.trim_start_matches("# ").starts_with(&format!("{key} = "));
        let is_there = text.lines().any(begins)
            || text.contains(&format!("tasks.resize.{key}]"))
            || text.contains(&format!("{{ {key} = "))
            || text.contains(&format!(", {key} = "))
            || text.contains(&format!("{key} is another name"));
        assert!(is_there, "examples/runlane.toml does not show `{key}`");
    }
}

#[test]
fn what_the_example_comments_out_is_right_too() {
    let text = std::fs::read_to_string("examples/runlane.toml").expect("the example");
    let is_key =
        |line: &str| line.split_once(" = ").is_some_and(|(key, _)| key.chars().all(|c| c.is_lowercase() || c == '_'));
    let uncommented = |line: &str| match line.strip_prefix("# ").filter(|line| is_key(line)) {
        Some(line) => format!("{line}\n"),
        None => format!("{line}\n"),
    };
    let found: Vec<String> = problems(&text.lines().map(uncommented).collect::<String>());
    let errors: Vec<&String> = found.iter().filter(|problem| problem.contains(": error: ")).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn the_docs_know_every_key_of_a_task() {
    let text = std::fs::read_to_string("docs/tasks.md").expect("the page");
    let [_, tasks, _] = keys();
    for key in tasks {
        assert!(text.contains(&format!("`{key}`")), "docs/tasks.md does not mention `{key}`");
    }
}

#[test]
fn the_table_in_the_docs_is_the_table_in_the_code() {
    let (begin, end, page) = ("<!-- settings -->\n", "<!-- /settings -->", "docs/configuration.md");
    let text = std::fs::read_to_string(page).expect("the page");
    let (before, rest) = text.split_once(begin).expect("the table begins");
    let (table, after) = rest.split_once(end).expect("the table ends");
    let expected = format!("\n{}\n", markdown());
    if std::env::var_os("RUNLANE_BLESS").is_some() {
        std::fs::write(page, format!("{before}{begin}{expected}{end}{after}")).expect("written");
        return;
    }
    assert_eq!(table, expected, "run RUNLANE_BLESS=1 cargo test --bin runlane docs to bring {page} up to date");
}

fn markdown() -> String {
    let mut rows = String::from("| setting | default | flag | variable | meaning |\n|---|---|---|---|---|\n");
    for about in SETTINGS.iter().map(|setting| setting.about()) {
        let code = |words: &mut dyn Iterator<Item = String>| {
            words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        };
        let default = about.default.map_or_else(|| about.unset.to_owned(), |text| format!("`{text}`"));
        let within = about.within.map(|(table, key)| format!("{table}.{key}"));
        let names = code(&mut about.names().map(str::to_owned).chain(within));
        let flags = code(&mut about.names().map(|name| format!("--{}", name.replace('_', "-"))));
        let variables = code(&mut about.all_variables());
        rows += &format!("| {names} | {default} | {flags} | {variables} | {} |\n", about.meaning.trim());
    }
    rows
}

#[test]
fn a_setting_may_stand_in_a_table_of_its_own() {
    let enabled = |text: &str| Config::of(text).settings.value(&QUEUE_ENABLED);
    assert!(enabled(""));
    assert!(!enabled("queue_enabled = false"));
    assert!(!enabled("[queue]\nenabled = false"));
    assert!(!enabled("queue.enabled = false"));
    let wrong = |text: &str| {
        let (_, problems) = Given::default().understand("runlane.toml", text);
        problems.iter().map(|problem| problem.words()).collect::<Vec<_>>().join("; ")
    };
    assert!(wrong("[queue]\nenabled = 1").contains("must be true or false"));
    assert!(wrong("[queue]\nenable = true").contains("no key `enable` in [queue]"));
    assert!(wrong("queue_enabled = true\nqueue.enabled = false").contains("another name for `queue_enabled`"));
    assert!(wrong("queue.enabled = false\nconcurrency = 0").contains("nobody would execute"));
    assert!(wrong("rate_limit_burst = 5").contains("not `rate_limit_per_second`"));
}

#[test]
fn a_misspelt_log_level_is_refused_with_its_place_and_what_was_meant() {
    let found = problems("concurrency = 1\nlog = \"inof\"\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("runlane.toml:2:") && found[0].contains("did you mean info?"), "{found:?}");
    assert_eq!(problems("log = \"runlane=lots\"\n").len(), 1);
    for good in ["info", "OFF", "info,runlane::worker=debug", "runlane::worker"] {
        assert_eq!(problems(&format!("log = \"{good}\"\n")), Vec::<String>::new());
    }
}

#[test]
fn allowed_hosts_and_origins_come_from_file_environment_and_flags() {
    let given = given(&[("RUNLANE_ALLOWED_ORIGINS", "https://a.example,http://b.example:8080")], &[]);
    let (config, problems_found) = given.understand("runlane.toml", "allowed_hosts = [\"runs.example\"]\n");
    assert_eq!(problems_found, []);
    assert_eq!(config.settings.get(&ALLOWED_HOSTS), Some(vec!["runs.example".to_owned()]));
    assert_eq!(config.settings.get(&ALLOWED_ORIGINS).map(|origins| origins.len()), Some(2));
    let wrong = problems("allowed_hosts = [\"https://x/\"]\nallowed_origins = [\"app.example\"]\n");
    assert!(wrong[0].contains("allowed_hosts") && wrong[0].contains("runs.example"), "{wrong:?}");
    assert!(wrong[1].contains("allowed_origins") && wrong[1].contains("https://app.example"), "{wrong:?}");
}
