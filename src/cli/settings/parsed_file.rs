//! A file while it is read: where its keys stand, and what was found to be wrong.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::problem::{Level, Origin, Place, Problem};

/// Like enough to be meant.
const ALIKE: f64 = 0.8;

pub(super) struct ParsedFile<'i> {
    name: String,
    text: &'i str,
    problems: RefCell<Vec<Problem>>,
    /// Where each key stands, by its full name, as in `tasks.resize.command`.
    places: RefCell<BTreeMap<String, Range<usize>>>,
    /// The keys there are for each table, by its full name; what a file may say.
    #[cfg(test)]
    pub(super) known: RefCell<std::collections::BTreeSet<String>>,
}

impl<'i> ParsedFile<'i> {
    pub(super) fn new(name: &str, text: &'i str) -> Self {
        Self {
            name: name.to_owned(),
            text,
            problems: RefCell::default(),
            places: RefCell::default(),
            #[cfg(test)]
            known: RefCell::default(),
        }
    }

    pub(super) fn error(&self, at: Range<usize>, message: impl Into<String>) {
        self.add(Level::Error, at, message.into(), None);
    }

    pub(super) fn warning(&self, at: Range<usize>, message: impl Into<String>) {
        self.add(Level::Warning, at, message.into(), None);
    }

    /// Something that is not among what there is.
    pub(super) fn unknown(&self, at: Range<usize>, message: String, word: &str, there_is: &[&str]) {
        let hint = match alike(word, there_is) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there is {}", there_is.join(", ")),
        };
        self.add(Level::Error, at, message, Some(hint));
    }

    /// With what to write instead.
    pub(super) fn hinted(&self, at: Range<usize>, message: String, hint: String) {
        self.add(Level::Error, at, message, Some(hint));
    }

    fn add(&self, level: Level, at: Range<usize>, message: String, hint: Option<String>) {
        let at = Origin::File(self.place(at));
        self.problems.borrow_mut().push(Problem { level, at, message, hint });
    }

    pub(super) fn place(&self, at: Range<usize>) -> Place {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line_begins = before.rfind('\n').map_or(0, |end| end + 1);
        Place {
            file: self.name.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_begins..].chars().count() + 1,
        }
    }

    pub(super) fn note(&self, key: String, at: Range<usize>) {
        self.places.borrow_mut().insert(key, at);
    }

    /// Where a key stands, or if it is not there, what it would stand in.
    pub(super) fn whereabouts(&self, key: &str) -> Range<usize> {
        let places = self.places.borrow();
        let mut name = key;
        loop {
            match (places.get(name), name.rsplit_once('.')) {
                (Some(at), _) => return at.clone(),
                (None, Some((outer, _))) => name = outer,
                (None, None) => return 0..0,
            }
        }
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems.into_inner()
    }
}

/// What was probably meant.
pub(super) fn alike<'a>(word: &str, there_is: &[&'a str]) -> Option<&'a str> {
    let likeness = |known: &&str| strsim::jaro_winkler(word, known);
    let best = there_is.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) >= ALIKE).then_some(*best)
}
