//! Mistakes on the command line, in words for whoever typed it.

use std::io::IsTerminal;

use clap::error::{Error, ErrorKind};
use clap::{Command, Parser};

const USAGE: i32 = 2;

/// Parses the command line, or says what is wrong with it and ends the process.
pub(super) fn parse<P: Parser>() -> P {
    let matches = with_negative_numbers(P::command()).try_get_matches();
    match matches.and_then(|matches| P::from_arg_matches(&matches)) {
        Ok(parsed) => parsed,
        Err(error) if error.kind() == ErrorKind::ValueValidation => {
            let shown = error.render();
            let words = if std::io::stderr().is_terminal() { shown.ansi().to_string() } else { shown.to_string() };
            eprint!("{}", in_plain_words(&words));
            std::process::exit(USAGE);
        }
        Err(error) => Error::exit(&error),
    }
}

/// `-n -1` is a number out of range, and not an unknown option.
fn with_negative_numbers(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let command = command.allow_negative_numbers(true);
    names.iter().fold(command, |command, name| command.mut_subcommand(name, with_negative_numbers))
}

/// The parsers of numbers speak of digits and types.
fn in_plain_words(words: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in words.lines() {
        lines.push(match line.rsplit_once(": ") {
            Some((before, "invalid digit found in string" | "cannot parse integer from empty string")) => {
                format!("{before}: give a whole number")
            }
            Some((before, reason)) if reason.starts_with("number too ") => {
                format!("{before}: the number is too large or too small")
            }
            Some((before, reason)) => match range(reason) {
                Some((from, until)) => format!("{before}: give a whole number from {from} to {until}"),
                None => line.to_owned(),
            },
            None => line.to_owned(),
        });
    }
    lines.join("\n") + "\n"
}

/// The bounds in "70000 is not in 1..=65535".
fn range(reason: &str) -> Option<(&str, &str)> {
    reason.split_once(" is not in ")?.1.split_once("..=")
}

/// "No such file or directory (os error 2)": the number helps nobody.
pub(super) fn without_os_codes(words: &str) -> String {
    let mut rest = words;
    let mut plain = String::new();
    while let Some((before, after)) = rest.split_once(" (os error ") {
        plain.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-').trim_start_matches(')');
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_parsers_are_translated() {
        let told = |reason: &str| in_plain_words(&format!("error: invalid value 'x' for '-n <N>': {reason}\n\nmore"));
        let said = |words: &str| format!("error: invalid value 'x' for '-n <N>': {words}\n\nmore\n");
        assert_eq!(told("invalid digit found in string"), said("give a whole number"));
        assert_eq!(told("0 is not in 1..=500"), said("give a whole number from 1 to 500"));
        assert_eq!(told("give this: or that"), said("give this: or that"));
        assert_eq!(without_os_codes("a: No such file (os error 2); b: Busy (os error 16)"), "a: No such file; b: Busy");
    }
}
