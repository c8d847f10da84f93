//! Rules of the repository, as ordinary tests: who may name whom, SQL in step, docs in step, nothing left lying about.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers of `docs/ARCHITECTURE.md`: a module may use itself and modules with a lower number.
const LAYERS: [(&str, u8); 14] = [
    ("clock", 0),
    ("run", 1),
    ("access", 1),
    ("schedule", 1),
    ("store", 2),
    ("executor", 2),
    ("blob", 2),
    ("actions", 3),
    ("worker", 4),
    ("maintenance", 3),
    ("http", 5),
    ("cli", 6),
    ("main", 7),
    ("lib", 7),
];

/// Who builds on what a run is, in the same layer.
const BESIDE_RUN: [&str; 2] = ["access", "schedule"];

/// What nobody but the store may name.
const DATABASE_CRATES: [&str; 4] = ["rusqlite", "tokio_postgres", "deadpool_postgres", "postgres_types"];

/// What the pure layer may not name.
const IMPURE: [&str; 9] =
    ["tokio", "futures", "async_trait", "async", "await", "rusqlite", "tokio_postgres", "fs", "net"];

const LONGEST_FILE: usize = 450;

/// Every package is compiled by whoever tries Runlane for the first time. A new dependency may raise this, deliberately.
const MOST_PACKAGES: usize = 438;

#[test]
fn a_module_names_only_lower_layers() {
    for file in sources("src") {
        let module = module_of(&file);
        let own = layer(&module[0]).unwrap_or_else(|| panic!("{} belongs to no layer", file.display()));
        for (line, path) in paths_named(&code_of(&file), &module) {
            let Some(named) = layer(&path) else { continue };
            let beside = path == "run" && BESIDE_RUN.contains(&module[0].as_str());
            let allowed = path == module[0] || named < own || beside;
            assert!(allowed, "{}:{line}: {} (layer {own}) names {path} (layer {named})", file.display(), module[0]);
        }
    }
}

#[test]
fn the_pure_layers_know_of_no_database_no_io_and_no_async() {
    for folder in ["src/run", "src/access", "src/schedule"] {
        refuse_words(sources(folder), &IMPURE, "a pure layer");
    }
}

#[test]
fn only_the_store_knows_of_database_crates() {
    let outside = sources("src").into_iter().filter(|file| !file.starts_with("src/store")).collect();
    refuse_words(outside, &DATABASE_CRATES, "code outside src/store");
}

#[test]
fn only_the_clock_asks_what_time_it_is() {
    for file in sources("src").into_iter().filter(|file| file != Path::new("src/clock.rs")) {
        for (line, text) in lines(&code_of(&file)) {
            let asks = text.contains("Timestamp::now") || text.contains("SystemTime::now");
            assert!(!asks, "{}:{line}: only src/clock.rs asks the clock", file.display());
        }
    }
}

#[test]
fn every_database_has_the_same_statements() {
    let databases = databases();
    for pair in databases.windows(2) {
        let [one, other] = pair else { continue };
        let (first, second) = (statements(one), statements(other));
        let apart: Vec<_> = first.symmetric_difference(&second).collect();
        assert!(apart.is_empty(), "{} and {} differ in {apart:?}", one.display(), other.display());
    }
}

#[test]
fn every_statement_is_listed() {
    let list = statement_list();
    for database in databases() {
        let unlisted: Vec<_> = statements(&database).into_iter().filter(|name| !list.contains(name)).collect();
        assert!(unlisted.is_empty(), "{}: not in the list of statements: {unlisted:?}", database.display());
    }
}

#[test]
fn the_lifecycle_in_the_docs_is_the_lifecycle_in_the_code() {
    let (begin, end) = ("<!-- lifecycle -->\n", "<!-- /lifecycle -->");
    let page = "docs/ARCHITECTURE.md";
    let text = read(Path::new(page));
    let (before, rest) = text.split_once(begin).expect("the table begins");
    let (table, after) = rest.split_once(end).expect("the table ends");
    let expected = format!("\n{}\n", runlane::run::lifecycle::table::markdown());
    if std::env::var_os("RUNLANE_BLESS").is_some() {
        fs::write(page, format!("{before}{begin}{expected}{end}{after}")).expect("written");
        return;
    }
    assert_eq!(table, expected, "run RUNLANE_BLESS=1 cargo test --test tidy to bring {page} up to date");
}

#[test]
fn every_file_the_docs_name_exists() {
    let mut pages = vec![PathBuf::from("README.md"), PathBuf::from("CONTRIBUTING.md")];
    pages.extend(files("docs").into_iter().filter(|file| has_extension(file, "md")));
    for page in pages {
        for (line, text) in lines(&read(&page)) {
            let quoted = text.split('`').skip(1).step_by(2);
            for path in quoted.filter(|word| word.starts_with("src/") || word.starts_with("tests/")) {
                let exists = path.contains(['<', '*', ' ']) || Path::new(path).exists();
                assert!(exists, "{}:{line}: there is no {path}", page.display());
            }
        }
    }
}

#[test]
fn every_metric_is_in_the_docs_and_described() {
    let (mut recorded, mut described) = (BTreeSet::new(), BTreeSet::new());
    for file in sources("src") {
        let text = read(&file);
        for (at, _) in text.match_indices("!(") {
            let (before, after) = (&text[..at], text[at + 2..].trim_start());
            let kind = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let names = match kind {
                "counter" | "gauge" | "histogram" => &mut recorded,
                "describe_counter" | "describe_gauge" | "describe_histogram" => &mut described,
                _ => continue,
            };
            names.extend(after.split('"').nth(1).map(str::to_owned));
        }
    }
    let page = read(Path::new("docs/operations.md"));
    let (_, rest) = page.split_once("<!-- metrics -->").expect("the table begins");
    let (table, _) = rest.split_once("<!-- /metrics -->").expect("the table ends");
    let shown: BTreeSet<String> =
        table.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split('`').next()?.to_owned())).collect();
    assert_eq!(shown, recorded, "the table of metrics in docs/operations.md and what the code records");
    assert_eq!(described, recorded, "what is described to the recorder and what the code records");
}

#[test]
fn every_file_opens_with_its_job() {
    for file in all_sources() {
        let text = read(&file);
        let first = text.lines().next().unwrap_or_default();
        let says = first.strip_prefix("//! ").is_some_and(|job| job.len() >= 5);
        assert!(says, "{}:1: begin with a line `//! …` that says what the file is for", file.display());
    }
}

#[test]
fn nothing_is_left_unfinished_or_silenced() {
    // In two pieces, so that this list does not find itself.
    let forbidden = [("todo", "!("), ("unimplemented", "!("), ("dbg", "!("), ("#[ig", "nore"), ("#[al", "low(")];
    for file in all_sources() {
        for (line, text) in lines(&read(&file)) {
            for (head, tail) in forbidden {
                let word = format!("{head}{tail}");
                assert!(!text.contains(&word), "{}:{line}: {word}", file.display());
            }
        }
    }
}

/// It says which machine runs which programs, and holds their files.
#[test]
fn the_data_directory_of_whoever_tries_it_out_here_is_not_committed() {
    let ignored = read(Path::new(".gitignore"));
    assert!(ignored.lines().any(|line| line == ".runlane/"), "git does not ignore .runlane/");
}

/// By a path, somebody may have put a link in the way.
#[test]
fn only_the_module_for_foreign_files_removes_directories() {
    let by_path = ["remove_dir_all", "fs::remove_dir"];
    for file in sources("src").into_iter().filter(|file| !file.starts_with("src/executor/process/foreign")) {
        for (line, text) in lines(&read(&file)) {
            let found = by_path.iter().find(|removal| text.contains(**removal));
            assert_eq!(found, None, "{}:{line}: use src/executor/process/foreign/", file.display());
        }
    }
}

#[test]
fn no_file_is_too_long_to_read() {
    let sql = files("src").into_iter().filter(|file| has_extension(file, "sql"));
    for file in all_sources().into_iter().chain(sql) {
        let length = read(&file).lines().count();
        assert!(length <= LONGEST_FILE, "{}: {length} lines; {LONGEST_FILE} are allowed", file.display());
    }
}

#[test]
fn the_number_of_packages_does_not_creep_up() {
    let lock = read(Path::new("Cargo.lock"));
    let packages = lock.lines().filter(|line| *line == "[[package]]").count();
    assert!(
        packages <= MOST_PACKAGES,
        "Cargo.lock has {packages} packages, more than {MOST_PACKAGES}: can the new one be done without?"
    );
}

#[test]
fn the_rules_see_through_groups_comments_and_strings() {
    let named = |code: &str| paths_named(&strip(code), &["store".into(), "memory".into()]);
    assert_eq!(named("use crate::run::Run;"), [(1, "run".into())]);
    assert_eq!(
        named("\nuse crate::{clock, http::{api, run}, cli as c};"),
        [(2, "clock".into()), (2, "http".into()), (2, "cli".into())]
    );
    assert_eq!(named("fn f() { super::super::worker::go() }"), [(1, "worker".into())]);
    assert_eq!(named("use super::types; use self::worker::x;"), [(1, "store".into())]);
    assert_eq!(named("// crate::http\nlet a = \"crate::http\"; let b = r#\"crate::\"http\"#; let c = '\"';"), []);
    assert_eq!(named("runlane::http::serve()"), [(1, "http".into())]);
}

fn refuse_words(files: Vec<PathBuf>, words: &[&str], who: &str) {
    for file in files {
        for (line, text) in lines(&code_of(&file)) {
            let found = text.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| words.contains(word));
            assert!(found.is_none(), "{}:{line}: {who} names {}", file.display(), found.unwrap_or_default());
        }
    }
}

fn layer(module: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
}

/// `src/store/memory/mod.rs` is `store`, `memory`.
fn module_of(file: &Path) -> Vec<String> {
    let path = file.strip_prefix("src").expect("below src").with_extension("");
    let mut module: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    module
}

/// The top-level modules that code in `module` names, with the lines on which it does.
fn paths_named(code: &str, module: &[String]) -> Vec<(usize, String)> {
    let mut named = Vec::new();
    for root in ["crate::", "super::", "runlane::"] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            // The middle of a word, or of a path that was seen from its beginning.
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            let (up, rest) = climb(&code[at..]);
            let within = if root == "super::" { module.len().saturating_sub(up) } else { 0 };
            match module.get(..within).and_then(|parents| parents.first()) {
                Some(top) => named.push((line, top.clone())),
                None => named.extend(heads(rest).into_iter().map(|head| (line, head))),
            }
        }
    }
    named
}

/// How many `super::` there are, and what follows them or the name of the crate.
fn climb(path: &str) -> (usize, &str) {
    let (mut up, mut rest) = (0, path);
    while let Some(further) = rest.strip_prefix("super::") {
        (up, rest) = (up + 1, further);
    }
    (up, rest.strip_prefix("crate::").or(rest.strip_prefix("runlane::")).unwrap_or(rest))
}

/// The first names of a path, or of each path in a group.
fn heads(rest: &str) -> Vec<String> {
    let name = |text: &str| text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let Some(group) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let (mut depth, mut names, mut begin) = (0, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' | ',' if depth == 0 => {
                names.push(name(&group[begin..at]));
                begin = at + 1;
            }
            _ => {}
        }
        if c == '}' && depth == 0 && begin == at + 1 {
            break;
        }
    }
    names.retain(|name: &String| !name.is_empty());
    names
}

/// The folders below `src/store` that have SQL.
fn databases() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir("src/store") else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|folder| folder.join("sql").is_dir());
    found.sort();
    assert!(!found.is_empty(), "no database has a folder sql");
    found
}

fn statements(database: &Path) -> BTreeSet<String> {
    let sql = files(&database.join("sql").to_string_lossy());
    sql.iter().filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned())).collect()
}

fn statement_list() -> BTreeSet<String> {
    let code = code_of(Path::new("src/store/script/statements.rs"));
    let (_, rest) = code.split_once("@ $dialect:").expect("a list of statements");
    rest.split('}').next().unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

fn all_sources() -> Vec<PathBuf> {
    ["src", "tests", "bench", "examples", "chaos"].into_iter().flat_map(sources).collect()
}

fn sources(folder: &str) -> Vec<PathBuf> {
    files(folder).into_iter().filter(|file| has_extension(file, "rs")).collect()
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}

/// Every file below a folder; none if there is no such folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path.to_string_lossy()) } else { vec![path] };
    paths.into_iter().flat_map(below).collect()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines())
}

fn code_of(file: &Path) -> String {
    strip(&read(file))
}

/// The code without comments and without what is in strings; lines stay where they are.
fn strip(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            raw.find("\"#").map_or(rest.len(), |end| end + 5)
        } else if rest.starts_with("'\"'") {
            3
        } else if c == '"' {
            end_of_string(rest)
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        code.extend(rest[..skipped].chars().filter(|c| *c == '\n'));
        rest = &rest[skipped..];
    }
    code
}

fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}
