//! A table of the file, read key by key: what is asked for is known, and what is left over is not.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::parsed_file::{ParsedFile, alike};
use super::value::{FromToml, words};

pub(super) struct Section<'a, 'i> {
    pub(super) source: &'a ParsedFile<'i>,
    /// Its full name; empty for the file itself.
    name: String,
    entries: BTreeMap<String, (Range<usize>, &'a Spanned<DeValue<'i>>)>,
    asked: Vec<&'static str>,
}

impl<'a, 'i> Section<'a, 'i> {
    pub(super) fn new(source: &'a ParsedFile<'i>, name: String, table: &'a DeTable<'i>) -> Self {
        let entry = |(key, value): (&Spanned<_>, _)| {
            let key: &Spanned<std::borrow::Cow<'i, str>> = key;
            (key.get_ref().to_string(), (key.span(), value))
        };
        let section = Self { source, name, entries: table.iter().map(entry).collect(), asked: Vec::new() };
        for (key, (at, _)) in &section.entries {
            source.note(section.full(key), at.clone());
        }
        section
    }

    fn empty(source: &'a ParsedFile<'i>, name: String) -> Self {
        Self { source, name, entries: BTreeMap::new(), asked: Vec::new() }
    }

    /// The name of a key with those of the tables around it.
    pub(super) fn full(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// Where a key stands, or would.
    pub(super) fn at(&self, key: &str) -> Range<usize> {
        self.source.whereabouts(&self.full(key))
    }

    /// The value as it stands, if there is one.
    pub(super) fn take(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'i>>> {
        self.asked.push(key);
        #[cfg(test)]
        self.source.known.borrow_mut().insert(self.full(key));
        self.entries.remove(key).map(|(_, value)| value)
    }

    /// The value, if there is one and it is right.
    pub(super) fn read<T: FromToml>(&mut self, key: &'static str) -> Option<T> {
        let value = self.take(key)?;
        self.convert(key, value)
    }

    pub(super) fn convert<T: FromToml>(&self, key: &str, value: &Spanned<DeValue<'i>>) -> Option<T> {
        let converted = T::from_toml(value.get_ref());
        if converted.is_none() {
            let message = format!("`{key}` must be {}, not {}", T::IS, words(value.get_ref()));
            self.source.error(value.span(), message);
        }
        converted
    }

    /// A table with keys of its own; an empty one if it is not there.
    pub(super) fn section(&mut self, key: &'static str) -> Section<'a, 'i> {
        let (name, value) = (self.full(key), self.take(key));
        match value.map(|value| (value, value.get_ref().as_table())) {
            Some((_, Some(table))) => Section::new(self.source, name, table),
            Some((value, None)) => {
                let message = format!("`{key}` must be a table, not {}", words(value.get_ref()));
                self.source.error(value.span(), message);
                Section::empty(self.source, name)
            }
            None => Section::empty(self.source, name),
        }
    }

    /// A table whose keys are for the user to choose.
    pub(super) fn map<T: FromToml>(&mut self, key: &'static str) -> BTreeMap<String, T> {
        let inner = self.section(key);
        let convert = |(key, (_, value)): (&String, &(_, &Spanned<DeValue<'i>>))| {
            inner.convert(key, value).map(|value| (key.clone(), value))
        };
        inner.entries.iter().filter_map(convert).collect()
    }

    /// The tables in it, whose names are for the user to choose.
    pub(super) fn tables(self) -> Vec<(String, Section<'a, 'i>)> {
        let mut found = Vec::new();
        for (key, (_, value)) in &self.entries {
            match value.get_ref().as_table() {
                Some(table) => found.push((key.clone(), Section::new(self.source, self.full(key), table))),
                None => {
                    let message = format!("`{}` must be a table, not {}", self.full(key), words(value.get_ref()));
                    self.source.error(value.span(), message);
                }
            }
        }
        found
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a key that nobody knows was probably meant to be this one.
    pub(super) fn is_misspelt(&self, key: &'static str) -> bool {
        self.entries.keys().any(|found| !self.asked.contains(&found.as_str()) && alike(found, &[key]).is_some())
    }

    /// Whatever was not asked for is a mistake.
    pub(super) fn finish(self) {
        for (key, (at, _)) in &self.entries {
            let inside = if self.name.is_empty() { String::new() } else { format!(" in [{}]", self.name) };
            self.source.unknown(at.clone(), format!("there is no key `{key}`{inside}"), key, &self.asked);
        }
    }
}
