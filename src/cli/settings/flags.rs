//! The settings as flags of a verb.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::table::{About, Known, Part, SETTINGS, Takes};

/// What the command line says about settings, and the file it names.
pub(in crate::cli) struct Flags<V> {
    pub(super) config: Option<PathBuf>,
    pub(super) given: BTreeMap<&'static str, String>,
    verb: PhantomData<V>,
}

/// A verb with settings.
pub(in crate::cli) trait Reads {
    /// Defaults that are other than usual.
    const DEFAULTS: &'static [(&'static str, &'static str)] = &[];

    /// Whether it has a flag for the setting.
    fn has_flag(about: &About) -> bool;

    /// A default that only the verb itself can find, in words.
    fn found(_: &About) -> Option<&'static str> {
        None
    }
}

/// `worker`.
pub(in crate::cli) enum ForWorker {}

/// `serve`, and whoever looks at all settings.
pub(in crate::cli) enum ForAll {}

/// `dev`: few flags, so that `--help` is short. The file and the environment say the rest.
#[cfg(feature = "api")]
pub(in crate::cli) enum ForDev {}

impl Reads for ForWorker {
    fn has_flag(about: &About) -> bool {
        about.part == Part::Worker
    }
}

impl Reads for ForAll {
    fn has_flag(_: &About) -> bool {
        true
    }
}

#[cfg(feature = "api")]
impl Reads for ForDev {
    const DEFAULTS: &'static [(&'static str, &'static str)] = &[("concurrency", "4"), ("auth", "none")];

    fn has_flag(about: &About) -> bool {
        ["data_dir", "listen", "concurrency", "queue_enabled", "log_format", "log"].contains(&about.name)
    }

    fn found(about: &About) -> Option<&'static str> {
        (about.name == "data_dir").then_some("runlane in the user's data directory")
    }
}

impl<V: Reads> Args for Flags<V> {
    fn augment_args(command: Command) -> Command {
        let config = Arg::new("config").long("config").value_name("FILE").env("RUNLANE_CONFIG");
        let config = config.value_parser(clap::value_parser!(PathBuf));
        let config = config.help("Configuration file with settings and tasks; default: runlane.toml, if it exists");
        let flags = SETTINGS.iter().filter(|setting| V::has_flag(setting.about())).map(|setting| flag::<V>(*setting));
        command.arg(config).args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn flag<V: Reads>(setting: &'static dyn Known) -> Arg {
    let about = setting.about();
    let other = V::DEFAULTS.iter().find(|(name, _)| *name == about.name).map(|(_, text)| *text);
    let default = V::found(about).or(other).or(about.default).unwrap_or(about.unset);
    let variables: Vec<String> = about.all_variables().collect();
    let help = format!("{} [default: {default}] [env: {}]", about.meaning.trim(), variables.join(", "));
    let aliases = about.also.iter().map(|name| name.replace('_', "-"));
    let arg = Arg::new(about.name).long(about.flag()).aliases(aliases).help(help);
    let checked = move |text: &str| setting.check(text).map(|()| text.to_owned());
    match about.takes {
        Takes::OneOf(choice) => arg.value_name("WORD").value_parser(PossibleValuesParser::new(choice)),
        Takes::Text(word) | Takes::Number(word) => arg.value_name(word).value_parser(checked),
        // Alone it means yes.
        Takes::Switch => arg
            .value_name("BOOL")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(PossibleValuesParser::new(["true", "false"])),
        Takes::Whole => arg.value_name("N").value_parser(checked),
        Takes::List => arg.value_name("NAMES").value_parser(checked).action(ArgAction::Append),
    }
}

impl<V: Reads> FromArgMatches for Flags<V> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = BTreeMap::new();
        for about in SETTINGS.iter().map(|setting| setting.about()).filter(|about| V::has_flag(about)) {
            if let Some(words) = matches.get_many::<String>(about.name) {
                given.insert(about.name, words.map(String::as_str).collect::<Vec<_>>().join(","));
            }
        }
        Ok(Self { config: matches.get_one::<PathBuf>("config").cloned(), given, verb: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
