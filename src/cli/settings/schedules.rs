//! The schedules of a file: what each is meant to be, and everything that is wrong with it.

use std::collections::BTreeMap;
use std::fmt::Display;

use jiff::Timestamp;
use runlane::actions::{
    AnyTask, GrantChoice, GrantRequest, PlanRefusal, RetryRequest, SchedulePlan, TimingRequest, WantedSchedule,
    check_schedule_name,
};
use runlane::run::{GrantId, Json, Priority, TaskName, WorkspaceName};
use runlane::schedule::{BillingAccount, Dst, ScheduleName, Scopes, UserName};
use runlane::worker::DEMO_TASKS;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::DeValue;

use super::Effective;
use super::parsed_file::alike;
use super::problem::Place;
use super::section::Section;
use super::table::{DEMO_TASKS as WITH_DEMO_TASKS, QUEUE_ENABLED};
use super::tasks::{TaskConfig, Tasks};
use super::value::{as_json, words};

/// A schedule as the file says it. Two are equal if they are meant to be the same.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct ScheduleConfig {
    pub(in crate::cli) workspace: WorkspaceName,
    pub(in crate::cli) wanted: WantedSchedule,
}

/// Schedules by name, and where they stand.
pub(in crate::cli) type Schedules = BTreeMap<String, (Place, ScheduleConfig)>;

/// Reads all of them; those that cannot be are left out, and said to the source.
pub(super) fn read(schedules: Section<'_, '_>, tasks: &Tasks, settings: &Effective) -> Schedules {
    let (source, mut found) = (schedules.source, Schedules::new());
    for (text, section) in schedules.tables() {
        let at = source.whereabouts(&format!("schedules.{text}"));
        let name = ScheduleName::parse(text.as_str());
        let name =
            name.map_err(|error| source.error(at.clone(), format!("a schedule cannot be called {text:?}: {error}")));
        let schedule = schedule(section, name.ok(), tasks, settings);
        found.extend(schedule.map(|schedule| (text, (source.place(at), schedule))));
    }
    found
}

fn schedule(
    mut keys: Section<'_, '_>,
    name: Option<ScheduleName>,
    tasks: &Tasks,
    settings: &Effective,
) -> Option<ScheduleConfig> {
    let task = task(&mut keys, tasks, settings);
    let plan = plan(&mut keys, task.clone());
    let workspace = keys.parsed("workspace", |text: String| WorkspaceName::parse(text)).unwrap_or_default();
    let (enabled, grant) = (keys.read("enabled"), grant(&mut keys));
    let refused = name.as_ref().and_then(|name| problem(&keys, &plan, name, task.as_ref(), tasks));
    keys.finish();
    let (Some(name), Some(_), None) = (name, task, refused) else { return None };
    Some(ScheduleConfig { workspace, wanted: WantedSchedule { name, plan, enabled, grant, version: None } })
}

fn plan(keys: &mut Section<'_, '_>, task: Option<TaskName>) -> SchedulePlan {
    // What it is a schedule of is needed to look at the rest of it, too.
    let task = task.or_else(|| TaskName::parse("unknown").ok()).expect("a name");
    let timing = TimingRequest {
        cron: keys.read("cron"),
        timezone: keys.read("timezone"),
        dst: dst(keys),
        every_seconds: keys.read("every_seconds"),
        starts_at: instant(keys, "starts_at"),
        at: instant(keys, "at"),
    };
    SchedulePlan {
        payload: json(keys, "payload"),
        queue: keys.parsed("queue", |text: String| runlane::run::QueueName::parse(text)),
        lane: keys.parsed("lane", |text: String| runlane::run::LaneName::parse(text)),
        priority: priority(keys),
        max_attempts: keys.read("max_attempts"),
        timeout_seconds: keys.read("timeout_seconds"),
        retry: retry(keys),
        metadata: json(keys, "metadata"),
        overlap: word(keys, "overlap", &["forbid", "allow", "replace"]),
        catch_up_limit: keys.read("catch_up_limit"),
        start_within_seconds: keys.read("start_within_seconds"),
        jitter_seconds: keys.read("jitter_seconds"),
        ..SchedulePlan::of(task, timing)
    }
}

/// Says what is wrong with it as a whole. Whether an instant has gone by does not matter: the schedule may be there.
fn problem(
    keys: &Section<'_, '_>,
    plan: &SchedulePlan,
    name: &ScheduleName,
    task: Option<&TaskName>,
    tasks: &Tasks,
) -> Option<()> {
    let mut found = None;
    let spec = plan.spec(&AnyTask, name.clone(), None, Timestamp::MIN);
    for refusal in [check_schedule_name(name).map_err(PlanRefusal::from).err(), spec.err()].into_iter().flatten() {
        let PlanRefusal::Field(refusal) = refusal else { continue };
        keys.source.hinted(keys.at(refusal.field), refusal.reason, refusal.hint);
        found = Some(());
    }
    let known = task.and_then(|task| tasks.get(task.as_str()));
    if let Some(error) = known.and_then(|(_, known)| misfit(known, plan.payload.as_ref())) {
        keys.source.error(keys.at("payload"), format!("the payload does not suit the task: {error}"));
        found = Some(());
    }
    found
}

/// What the task's schema has against the payload.
#[cfg(feature = "api")]
fn misfit(task: &TaskConfig, payload: Option<&Json>) -> Option<String> {
    let schema = jsonschema::validator_for(task.schema.as_ref()?).ok()?;
    let value = serde_json::from_str(payload.map_or("null", Json::as_str)).ok()?;
    let error = schema.iter_errors(&value).next()?;
    Some(error.to_string())
}

/// Only the API goes by it.
#[cfg(not(feature = "api"))]
fn misfit(_: &TaskConfig, _: Option<&Json>) -> Option<String> {
    None
}

fn task(keys: &mut Section<'_, '_>, tasks: &Tasks, settings: &Effective) -> Option<TaskName> {
    let Some(value) = keys.take("task") else {
        if !keys.is_misspelt("task") {
            keys.source.error(keys.at("task"), "there is no `task`; name the task that it runs");
        }
        return None;
    };
    let text: String = keys.convert("task", value)?;
    let task = TaskName::parse(text.as_str());
    let task = task.map_err(|error| keys.source.error(value.span(), format!("`task`: {error}"))).ok()?;
    if tasks.contains_key(&text) {
        return Some(task);
    }
    let is_demo = DEMO_TASKS.contains(&text.as_str());
    if is_demo && settings.get(&WITH_DEMO_TASKS) == Some(true) {
        return Some(task);
    }
    let names: Vec<&str> = tasks.keys().map(String::as_str).collect();
    let near = alike(&text, &names).map(|meant| format!("did you mean `{meant}`?"));
    if settings.get(&QUEUE_ENABLED) == Some(false) {
        let hint = near.unwrap_or_else(|| "without a queue nobody elsewhere can execute it".to_owned());
        keys.source.hinted(value.span(), format!("there is no task `{text}`"), hint);
        return None;
    }
    let hint = match near {
        Some(near) => near,
        None if is_demo => "it is there in `dev`, or with demo_tasks = true".to_owned(),
        None => "some worker elsewhere has to have it".to_owned(),
    };
    keys.source.warning(value.span(), format!("there is no task `{text}` in this file; {hint}"));
    Some(task)
}

fn dst(keys: &mut Section<'_, '_>) -> Option<Dst> {
    let mut section = keys.section("dst");
    let (gap, overlap) =
        (word(&mut section, "gap", &["after", "skip"]), word(&mut section, "overlap", &["first", "second", "both"]));
    section.finish();
    let is_given = gap.is_some() || overlap.is_some();
    is_given.then(|| Dst { gap: gap.unwrap_or_default(), overlap: overlap.unwrap_or_default() })
}

fn retry(keys: &mut Section<'_, '_>) -> Option<RetryRequest> {
    let mut section = keys.section("retry");
    let is_given = !section.is_empty();
    let request = RetryRequest {
        base_seconds: section.read("base_seconds"),
        factor: section.read("factor"),
        cap_seconds: section.read("cap_seconds"),
    };
    section.finish();
    is_given.then_some(request)
}

fn priority(keys: &mut Section<'_, '_>) -> Option<Priority> {
    let number: i16 = keys.read("priority")?;
    Priority::new(number).map_err(|error| keys.source.error(keys.at("priority"), error.to_string())).ok()
}

fn grant(keys: &mut Section<'_, '_>) -> Option<GrantChoice> {
    let id = keys.parsed("grant_id", |text: String| text.parse().map(GrantId).map_err(|_| "that is not an id"));
    let mut terms = keys.section("grant");
    let is_described = !terms.is_empty();
    let request = terms_of(&mut terms);
    terms.finish();
    if is_described && id.is_some() {
        keys.source.error(keys.at("grant"), "both `grant_id` and `grant` are given; name a grant, or describe one");
    }
    id.map(GrantChoice::Existing).or(request.map(GrantChoice::New))
}

fn terms_of(terms: &mut Section<'_, '_>) -> Option<GrantRequest> {
    let is_described = !terms.is_empty();
    let user = terms.parsed("user_id", |text: String| UserName::parse(text));
    let billing_account = terms.parsed("billing_account", |text: String| BillingAccount::parse(text));
    let scopes = terms.parsed("scopes", Scopes::parse);
    let expires_at = instant(terms, "expires_at");
    if is_described && (user.is_none() || billing_account.is_none() || scopes.is_none()) {
        terms.source.error(terms.at("user_id"), "`grant` takes `user_id`, `billing_account` and `scopes`");
    }
    Some(GrantRequest { user: user?, billing_account: billing_account?, scopes: scopes?, expires_at })
}

/// One of a few words.
fn word<T: DeserializeOwned>(keys: &mut Section<'_, '_>, key: &'static str, there_is: &[&str]) -> Option<T> {
    let value = keys.take(key)?;
    let text: String = keys.convert(key, value)?;
    let known = serde_json::from_value(text.clone().into()).ok();
    if known.is_none() {
        keys.source.unknown(value.span(), format!("`{key}` cannot be {text:?}"), &text, there_is);
    }
    known
}

/// An instant, as TOML writes it or in quotes.
fn instant(keys: &mut Section<'_, '_>, key: &'static str) -> Option<Timestamp> {
    let value = keys.take(key)?;
    let text = match value.get_ref() {
        DeValue::Datetime(at) => at.to_string(),
        other => other.as_str().unwrap_or_default().to_owned(),
    };
    let wrong = |_| {
        let found = words(value.get_ref());
        keys.source.error(value.span(), format!("`{key}` must be an instant, as in 2026-11-20T09:00:00Z, not {found}"));
    };
    text.parse().map_err(wrong).ok()
}

/// Any value, as JSON.
fn json(keys: &mut Section<'_, '_>, key: &'static str) -> Option<Json> {
    let value: &Spanned<DeValue<'_>> = keys.take(key)?;
    let wrong = |error: String| keys.source.error(value.span(), format!("`{key}` {error}"));
    let json = as_json(value.get_ref()).map_err(wrong).ok()?;
    Json::of(&json).map_err(|error| wrong(error.to_string())).ok()
}

impl Section<'_, '_> {
    /// A value that has to be understood after it was read.
    fn parsed<T: super::value::FromToml, V, E: Display>(
        &mut self,
        key: &'static str,
        parse: impl Fn(T) -> Result<V, E>,
    ) -> Option<V> {
        let value = self.take(key)?;
        let read = self.convert(key, value)?;
        parse(read).map_err(|error| self.source.error(value.span(), format!("`{key}`: {error}"))).ok()
    }
}
