//! What a process goes by: settings from `runlane.toml`, the environment and flags, and the tasks of the file.

mod effective;
mod flags;
mod parse;
mod parsed_file;
mod problem;
mod process;
mod schedules;
mod schema;
mod section;
mod table;
mod tasks;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

pub(super) use self::effective::Effective;
#[cfg(feature = "api")]
pub(super) use self::flags::ForDev;
pub(super) use self::flags::{Flags, ForAll, ForWorker, Reads};
#[cfg(feature = "api")]
pub(super) use self::parse::AuthMode;
pub(super) use self::parse::LogFormat;
pub(super) use self::problem::{Origin, Place, Problem, Wrong};
pub(super) use self::schedules::{ScheduleConfig, Schedules};
pub(super) use self::table::*;
pub(super) use self::tasks::{TaskConfig, Tasks};

use self::parsed_file::ParsedFile;
use self::section::Section;
use super::Failure;

/// Read where none is named, if it is there.
const USUAL: &str = "runlane.toml";

/// Variables that are not settings.
const OTHER_VARIABLES: [&str; 4] = ["RUNLANE_CONFIG", "RUNLANE_URL", "RUNLANE_TOKEN", "RUNLANE_WORKSPACE"];

/// What a process goes by.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    pub(super) settings: Effective,
    pub(super) tasks: Tasks,
    pub(super) schedules: Schedules,
}

/// Everything that says something, so that it can be asked again.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    file: Option<PathBuf>,
    environment: BTreeMap<String, String>,
    flags: BTreeMap<&'static str, String>,
    defaults: &'static [(&'static str, &'static str)],
}

impl Given {
    /// What this process was started with.
    pub(super) fn to<V: Reads>(flags: Flags<V>) -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
        };
        let environment = std::env::vars_os().filter_map(text);
        let ours = environment.filter(|(name, _)| name.starts_with("RUNLANE_") || name == "DATABASE_URL");
        Self {
            file: flags.config.filter(|file| !file.as_os_str().is_empty()),
            environment: ours.collect(),
            flags: flags.given,
            defaults: V::DEFAULTS,
        }
    }

    fn is_ours(&self, variable: &str) -> bool {
        OTHER_VARIABLES.contains(&variable)
    }

    /// The configuration, if nothing is wrong with it. What only may be wrong is logged by whoever wants it.
    pub(super) fn load(&self) -> Result<(Config, Vec<Problem>), Failure> {
        let (config, problems) = self.read()?;
        let (errors, warnings): (Vec<_>, Vec<_>) = problems.into_iter().partition(Problem::is_error);
        if errors.is_empty() { Ok((config, warnings)) } else { Err(Wrong(errors).into()) }
    }

    /// The configuration as far as it can be understood, and everything that is wrong with it.
    pub(super) fn read(&self) -> Result<(Config, Vec<Problem>), Failure> {
        let path = self.path();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if self.file.is_none() && error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display()).into()),
        };
        Ok(self.understand(&path.display().to_string(), &text))
    }

    /// The file that is named, or the usual one.
    pub(super) fn path(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(USUAL))
    }

    fn understand(&self, name: &str, text: &str) -> (Config, Vec<Problem>) {
        let source = ParsedFile::new(name, text);
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut broken = Vec::new();
        for error in &errors {
            let at = error.span().unwrap_or_default();
            broken.push(source.place(at.clone()).line);
            let words = error.message().trim().replace('\n', ", ");
            // Of a key that is there twice, the message does not say which.
            let which = text.get(at.clone()).filter(|_| words == "duplicate key");
            source.error(at, which.map_or(words.clone(), |key| format!("{words} `{key}`")));
        }
        let mut file = Section::new(&source, String::new(), table.get_ref());
        let mut elsewhere = Vec::new();
        let settings = effective::gather(&mut file, self, &mut elsewhere);
        let tasks = tasks::read(file.section("tasks"));
        let schedules = schedules::read(file.section("schedules"), &tasks, &settings);
        file.finish();
        let mut problems = source.into_problems();
        let mut found = problems.split_off(errors.len());
        // Half of a broken line may look like a key that nobody knows.
        found.retain(|problem| !matches!(&problem.at, Origin::File(place) if broken.contains(&place.line)));
        problems.append(&mut found);
        problems.extend(elsewhere);
        problems.sort_by_key(|problem| match &problem.at {
            Origin::File(place) => (place.line, place.column),
            _ => (usize::MAX, 0),
        });
        (Config { settings, tasks, schedules }, problems)
    }
}

#[cfg(test)]
impl Config {
    /// What a file comes to by itself; nothing may be wrong with it.
    pub(super) fn of(text: &str) -> Self {
        let (config, problems) = Given::default().understand("runlane.toml", text);
        assert!(!problems.iter().any(Problem::is_error), "{problems:?}");
        config
    }
}

#[cfg(test)]
mod tests;
