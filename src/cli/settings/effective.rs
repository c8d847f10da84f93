//! What is set in the end, and who said so: the file, louder the environment, loudest the flags.

use std::collections::BTreeMap;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::Given;
use super::parse::AuthMode;
use super::parsed_file::alike;
use super::problem::{Level, Origin, Problem};
use super::section::Section;
use super::table::{
    AUTH, About, CONCURRENCY, HEARTBEAT_SECONDS, Known, LEASE_TTL_SECONDS, LISTEN, QUEUE_ENABLED, RATE_LIMIT_BURST,
    RATE_LIMIT_PER_SECOND, SETTINGS, Setting, Takes,
};
use super::value::{integer_text, words};

/// The value of every setting.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct Effective {
    values: BTreeMap<&'static str, Value>,
}

/// In words that the setting understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Value {
    pub(in crate::cli) text: Option<String>,
    pub(in crate::cli) origin: Origin,
}

impl Effective {
    /// The value, if anybody said one or there is a default.
    pub(in crate::cli) fn get<T>(&self, setting: &Setting<T>) -> Option<T> {
        let value = self.values.get(setting.about.name)?;
        value.text.as_deref().map(|text| (setting.parse)(text).expect("checked when it was read"))
    }

    /// The value of a setting with a default.
    pub(in crate::cli) fn value<T>(&self, setting: &Setting<T>) -> T {
        self.get(setting).expect("a setting with a default")
    }

    /// The value, if anybody said one.
    pub(in crate::cli) fn said<T>(&self, setting: &Setting<T>) -> Option<T> {
        if *self.origin(&setting.about) == Origin::Default { None } else { self.get(setting) }
    }

    pub(in crate::cli) fn of(&self, about: &About) -> &Value {
        &self.values[about.name]
    }

    fn origin(&self, about: &About) -> &Origin {
        &self.of(about).origin
    }

    /// The settings that are not the same in another.
    pub(in crate::cli) fn differing(&self, other: &Self) -> Vec<&'static str> {
        let differs =
            |name: &&&'static str| self.values[**name].text != other.values.get(**name).and_then(|v| v.text.clone());
        self.values.keys().filter(differs).copied().collect()
    }
}

/// Asks everybody for every setting. What is wrong is said, and its default stands in for it.
pub(super) fn gather(file: &mut Section<'_, '_>, given: &Given, problems: &mut Vec<Problem>) -> Effective {
    let mut values = BTreeMap::new();
    for setting in SETTINGS {
        let about = setting.about();
        let usual = given.defaults.iter().find(|(name, _)| *name == about.name).map(|(_, text)| *text);
        let mut value = Value { text: usual.or(about.default).map(str::to_owned), origin: Origin::Default };
        for said in
            [in_file(*setting, file), in_environment(about, given), in_flags(about, given)].into_iter().flatten()
        {
            match check(*setting, &said) {
                None => value = said,
                Some(problem) => problems.push(problem),
            }
        }
        values.insert(about.name, value);
    }
    let effective = Effective { values };
    problems.extend(too_short_a_lease(&effective));
    problems.extend(open_to_all(&effective));
    problems.extend(nobody_executes(&effective));
    problems.extend(burst_of_nothing(&effective));
    problems.extend(misspelt_variables(given));
    effective
}

fn check(setting: &dyn Known, said: &Value) -> Option<Problem> {
    let error = setting.check(said.text.as_deref()?).err()?;
    Some(wrong(&said.origin, format!("`{}`: {error}", setting.about().name)))
}

fn in_file(setting: &dyn Known, file: &mut Section<'_, '_>) -> Option<Value> {
    let about = setting.about();
    let mut there = Vec::new();
    for name in about.names() {
        there.extend(file.take(name).map(|value| (name.to_owned(), value, file.at(name))));
    }
    if let Some((table, key)) = about.within {
        let mut table = file.section(table);
        there.extend(table.take(key).map(|value| (table.full(key), value, table.at(key))));
        table.finish();
    }
    let mut found: Option<(String, Value)> = None;
    for (name, value, at) in there {
        if let Some((first, _)) = &found {
            file.source.error(at, format!("`{name}` is another name for `{first}`, which is there too"));
            continue;
        }
        match text_of(about, value) {
            Ok(text) => {
                let origin = Origin::File(file.source.place(at));
                found = Some((name, Value { text: Some(text), origin }));
            }
            Err(must_be) => {
                let message = format!("`{name}` must be {must_be}, not {}", words(value.get_ref()));
                file.source.error(value.span(), message);
            }
        }
    }
    found.map(|(_, value)| value)
}

/// The value as a flag would have it, or what it must be.
fn text_of(about: &About, value: &Spanned<DeValue<'_>>) -> Result<String, String> {
    let value = value.get_ref();
    match about.takes {
        Takes::Whole => integer_text(value).ok_or_else(|| "a whole number".into()),
        Takes::Number(_) => {
            let float = value.as_float().map(|number| number.as_str().to_owned());
            float.or_else(|| integer_text(value)).ok_or_else(|| "a number".into())
        }
        Takes::Switch => value.as_bool().map(|is| is.to_string()).ok_or_else(|| "true or false".into()),
        Takes::Text(_) => value.as_str().map(str::to_owned).ok_or_else(|| "text in quotes".into()),
        Takes::OneOf(choice) => value.as_str().map(str::to_owned).ok_or_else(|| format!("one of {choice:?}")),
        Takes::List => {
            let items = value.as_array().map(|items| items.iter().map(|item| item.get_ref().as_str()).collect());
            let items: Option<Vec<&str>> = items.flatten();
            items.map(|items| items.join(",")).ok_or_else(|| "an array of texts, as in [\"a\", \"b\"]".into())
        }
    }
}

/// An empty variable says nothing.
fn in_environment(about: &About, given: &Given) -> Option<Value> {
    let said = |name: String| Some((given.environment.get(&name).filter(|text| !text.is_empty())?.clone(), name));
    let (text, name) = about.all_variables().find_map(said)?;
    Some(Value { text: Some(text), origin: Origin::Variable(name) })
}

fn in_flags(about: &About, given: &Given) -> Option<Value> {
    let text = given.flags.get(about.name)?.clone();
    Some(Value { text: Some(text), origin: Origin::Flag(format!("--{}", about.flag())) })
}

/// Two renewals may fail before anything is lost.
fn too_short_a_lease(effective: &Effective) -> Option<Problem> {
    let (heartbeat, lease) = (effective.value(&HEARTBEAT_SECONDS), effective.value(&LEASE_TTL_SECONDS));
    let least = heartbeat.checked_mul(3).unwrap_or(Duration::MAX);
    if lease >= least {
        return None;
    }
    let message = format!(
        "`lease_ttl_seconds` is {}; it must be at least three times `heartbeat_seconds`, which is {}",
        lease.as_secs_f64(),
        heartbeat.as_secs_f64()
    );
    Some(wrong(louder(effective, &LEASE_TTL_SECONDS.about, &HEARTBEAT_SECONDS.about), message))
}

fn open_to_all(effective: &Effective) -> Option<Problem> {
    let (auth, listen) = (effective.value(&AUTH), effective.value(&LISTEN));
    if auth == AuthMode::Tokens || listen.ip().to_canonical().is_loopback() {
        return None;
    }
    let message = format!("`auth` is none, but others can reach `listen`, {listen}: use 127.0.0.1, or auth tokens");
    Some(wrong(louder(effective, &AUTH.about, &LISTEN.about), message))
}

fn nobody_executes(effective: &Effective) -> Option<Problem> {
    if effective.value(&QUEUE_ENABLED) || effective.value(&CONCURRENCY) > 0 {
        return None;
    }
    let message = "`queue_enabled` is false and `concurrency` is 0: nobody would execute what is submitted".to_owned();
    Some(wrong(louder(effective, &CONCURRENCY.about, &QUEUE_ENABLED.about), message))
}

fn burst_of_nothing(effective: &Effective) -> Option<Problem> {
    if effective.get(&RATE_LIMIT_BURST).is_none() || effective.get(&RATE_LIMIT_PER_SECOND).is_some() {
        return None;
    }
    let message = "`rate_limit_burst` is set, but not `rate_limit_per_second`".to_owned();
    Some(wrong(effective.origin(&RATE_LIMIT_BURST.about), message))
}

/// Who is to be told of two settings that do not go together.
fn louder<'a>(effective: &'a Effective, one: &About, other: &About) -> &'a Origin {
    match effective.origin(one) {
        Origin::Default => effective.origin(other),
        origin => origin,
    }
}

/// A variable that is nearly one of ours. Others may be for the programs that are run.
fn misspelt_variables(given: &Given) -> Vec<Problem> {
    let known: Vec<String> = SETTINGS.iter().flat_map(|setting| setting.about().all_variables()).collect();
    let names: Vec<&str> = known.iter().filter_map(|name| name.strip_prefix("RUNLANE_")).collect();
    let nearly = |variable: &String| {
        let name =
            variable.strip_prefix("RUNLANE_").filter(|_| !known.contains(variable) && !given.is_ours(variable))?;
        let meant = alike(name, &names).filter(|meant| strsim::osa_distance(name, meant) <= 2)?;
        let hint = Some(format!("did you mean RUNLANE_{meant}?"));
        let at = Origin::Variable(variable.clone());
        Some(Problem { level: Level::Warning, at, message: "no setting is called so".into(), hint })
    };
    given.environment.keys().filter_map(nearly).collect()
}

fn wrong(at: &Origin, message: String) -> Problem {
    Problem { level: Level::Error, at: at.clone(), message, hint: None }
}
