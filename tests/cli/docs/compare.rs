//! Compares what a page shows with what was printed, but for what differs each time.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

/// What differs each time, and what may stand in its place.
const DIFFERS: [(&str, &str); 8] = [
    (r"…", r".*"),
    (r"rl_[0-9A-Za-z_-]+", r"rl_[0-9A-Za-z_-]+"),
    (
        r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC)",
        r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC)",
    ),
    (WHEN, WHEN),
    (r"\d+ ms\b|\d+\.\d s\b|\d+ min \d+ s\b", r"(?:\d+ ms|\d+\.\d s|\d+ min \d+ s)"),
    (r"[a-z0-9-]+/[0-9a-f]{8}\b", r"\S+/[0-9a-f]{8}"),
    (r"\d+\.\d GiB", r"\d+\.\d GiB"),
    (r" {2,}", r" {2,}"),
];

const WHEN: &str =
    r"(?:just now|less than a second ago|\d+ (?:s|min|h|d)(?: \d+ min)? ago|in \d+ (?:s|min|h|d)\b(?: \d+ min)?)";

const ID: &str = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

static PARTS: LazyLock<Regex> = LazyLock::new(|| {
    let others: Vec<String> = DIFFERS.iter().map(|(found, _)| format!("({found})")).collect();
    Regex::new(&format!("({ID})|{}", others.join("|"))).expect("a pattern")
});

static IDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(ID).expect("a pattern"));

/// Which id of the page stands for which real one, as learned from what was printed.
#[derive(Default)]
pub struct Names {
    real: HashMap<String, String>,
}

impl Names {
    /// A command with the ids there are, for those the page shows.
    pub fn real(&self, command: &str) -> String {
        let known = |id: &regex::Captures<'_>| self.real.get(&id[0]).cloned().unwrap_or_else(|| id[0].to_owned());
        IDS.replace_all(command, known).into_owned()
    }

    /// Lines as they were printed, with the ids that the page has for them.
    pub fn shown(&self, printed: &[String]) -> Vec<String> {
        let on_page: HashMap<&String, &String> = self.real.iter().map(|(shown, real)| (real, shown)).collect();
        let known =
            |id: &regex::Captures<'_>| on_page.get(&id[0].to_owned()).map_or(id[0].to_owned(), |id| (*id).clone());
        printed.iter().map(|line| IDS.replace_all(line, known).into_owned()).collect()
    }

    /// The first difference, in words.
    pub fn compare(&mut self, shown: &[&str], printed: &[String]) -> Result<(), String> {
        let mut rest = printed.iter();
        let mut skips = false;
        for line in shown {
            if line.trim() == "…" {
                skips = true;
                continue;
            }
            let found = if skips {
                rest.any(|it| self.matches(line, it))
            } else {
                rest.next().is_some_and(|it| self.matches(line, it))
            };
            if !found {
                return Err(format!("shown, but not printed: {line:?}"));
            }
            skips = false;
        }
        match rest.next().filter(|_| !skips) {
            Some(line) => Err(format!("printed, but not shown: {line:?}")),
            None => Ok(()),
        }
    }

    /// Whether a line may stand for the other; learns ids that it meets for the first time.
    fn matches(&mut self, shown: &str, printed: &str) -> bool {
        let (mut pattern, mut ids, mut end) = (String::from("^"), Vec::new(), 0);
        for part in PARTS.captures_iter(shown) {
            let whole = part.get(0).expect("a match");
            pattern.push_str(&regex::escape(&shown[end..whole.start()]));
            end = whole.end();
            match (part.get(1), self.real.get(whole.as_str())) {
                (Some(_), Some(real)) => pattern.push_str(real),
                (Some(_), None) => {
                    ids.push(whole.as_str());
                    pattern.push_str(&format!("({ID})"));
                }
                (None, _) => {
                    let kind = (0..DIFFERS.len()).find(|kind| part.get(kind + 2).is_some()).expect("a kind");
                    pattern.push_str(DIFFERS[kind].1);
                }
            }
        }
        pattern.push_str(&regex::escape(&shown[end..]));
        let Some(found) = Regex::new(&format!("{pattern}$")).expect("a pattern").captures(printed) else {
            return false;
        };
        for (at, id) in ids.into_iter().enumerate() {
            self.real.insert(id.to_owned(), found[at + 1].to_owned());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "01a1e2d0-0d42-74a1-b7da-307a393f2691";
    const OTHER: &str = "01a1e2d0-1980-767c-83d6-d5397f789712";

    fn compare(names: &mut Names, shown: &[&str], printed: &[&str]) -> Result<(), String> {
        names.compare(shown, &printed.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn times_spans_and_widths_may_differ_and_words_may_not() {
        let mut names = Names::default();
        assert_eq!(compare(&mut names, &["done  3 s ago  2 ms"], &["done   just now  1.2 s"]), Ok(()));
        assert!(compare(&mut names, &["done  3 s ago"], &["gone  3 s ago"]).is_err());
        assert!(compare(&mut names, &["{\"a\":…}"], &["{\"a\":1}"]).is_ok());
        assert!(compare(&mut names, &["one"], &["one", "two"]).is_err());
        assert!(compare(&mut names, &["one", "two"], &["one"]).is_err());
        assert!(compare(&mut names, &["one", "…", "four"], &["one", "two", "three", "four"]).is_ok());
        assert!(compare(&mut names, &["one", "…"], &["one"]).is_ok());
    }

    #[test]
    fn an_id_stays_the_same_once_it_was_met() {
        let mut names = Names::default();
        assert_eq!(compare(&mut names, &[&format!("run {ONE}")], &[&format!("run {OTHER}")]), Ok(()));
        assert_eq!(names.real(&format!("show {ONE}")), format!("show {OTHER}"));
        assert!(compare(&mut names, &[ONE], &[ONE]).is_err());
        assert_eq!(names.shown(&[OTHER.to_owned()]), [ONE.to_owned()]);
    }
}
