//! The commands that the documentation shows, typed in: each page is one session, and what it shows must happen.
//!
//! In a block of `console`, lines that begin with `$ ` are commands and the others what they print. `…` stands for
//! anything, alone on a line for any lines; ids, times, spans and the width of columns may differ. A comment
//! `<!-- $ command -->` is typed in too, and nobody looks at what it prints. `RUNLANE_BLESS=1` writes down what happened.

mod compare;
mod dev;
mod page;
mod session;

use self::compare::Names;
use self::page::Page;
use self::session::Session;

#[test]
fn the_tour_in_the_readme_is_what_happens() {
    play("README.md");
}

#[test]
fn the_command_line_is_as_its_page_shows_it() {
    play("docs/cli.md");
}

#[test]
fn the_concepts_are_as_their_page_shows_them() {
    play("docs/concepts.md");
}

#[test]
fn schedules_are_as_their_page_shows_them() {
    play("docs/schedules.md");
}

/// Types in what a page shows, and compares.
fn play(path: &str) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let page = Page::parse(&text);
    assert!(!page.steps.is_empty(), "{path} shows no commands");
    let bless = std::env::var_os("RUNLANE_BLESS").is_some();
    let (mut session, mut names) = (Session::start(), Names::default());
    let mut happened = Vec::new();
    for step in &page.steps {
        let printed = session.type_in(&names.real(&step.command));
        if step.is_hidden {
            continue;
        }
        let shown: Vec<&str> = page.lines[step.shown.clone()].iter().map(String::as_str).collect();
        let Err(difference) = names.compare(&shown, &printed) else { continue };
        assert!(
            bless,
            "{path}:{}: `{}` does not do what the page shows (RUNLANE_BLESS=1 writes it down)\n{difference}\nprinted:\n{}",
            step.line,
            step.command,
            printed.join("\n")
        );
        happened.push((step.shown.clone(), names.shown(&printed)));
    }
    if !happened.is_empty() {
        std::fs::write(path, page.with(happened)).expect("written");
    }
}
