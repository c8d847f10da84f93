//! Reads the file again, exchanges the tasks of a process at work and applies the schedules. What is wrong is said, and changes nothing.

#[cfg(feature = "api")]
use std::sync::Arc;

#[cfg(feature = "api")]
use runlane::actions::LiveCatalog;
#[cfg(feature = "api")]
use runlane::store::Store;

use super::Failure;
#[cfg(feature = "api")]
use super::catalog::TaskCatalog;
use super::engine::Exchange;
#[cfg(feature = "api")]
use super::schedules;
use super::settings::{Config, Given, Tasks, Wrong};

/// What a process needs to read its file again.
pub(super) struct Reload {
    given: Given,
    /// What it goes by now. Its settings are those it was started with.
    config: Config,
    engine: Exchange,
    #[cfg(feature = "api")]
    api: Option<Served>,
}

/// What those go by who submit.
#[cfg(feature = "api")]
struct Served {
    store: Arc<dyn Store>,
    catalog: Arc<LiveCatalog>,
    open: OpenCatalog,
}

#[cfg(feature = "api")]
type OpenCatalog = fn(&Config) -> Result<TaskCatalog, Failure>;

/// The names of tasks that are not what they were.
#[derive(Debug, Default, PartialEq, Eq)]
struct Changes {
    added: Vec<String>,
    removed: Vec<String>,
    changed: Vec<String>,
}

impl Reload {
    pub(super) fn new(given: Given, config: Config, engine: Exchange) -> Self {
        Self {
            given,
            config,
            engine,
            #[cfg(feature = "api")]
            api: None,
        }
    }

    /// Also for those who submit, and with the schedules.
    #[cfg(feature = "api")]
    pub(super) fn with_api(self, store: Arc<dyn Store>, catalog: Arc<LiveCatalog>, open: OpenCatalog) -> Self {
        Self { api: Some(Served { store, catalog, open }), ..self }
    }

    pub(super) async fn reload(&mut self) {
        let file = self.given.path().display().to_string();
        match self.exchange() {
            Ok(Changes { added, removed, changed }) => {
                tracing::info!(file, ?added, ?removed, ?changed, "reloaded the tasks");
                #[cfg(feature = "api")]
                if let Some(Served { store, catalog, .. }) = &self.api {
                    schedules::apply_all(store.as_ref(), catalog.as_ref(), &self.config.schedules).await;
                }
            }
            Err(failure) => {
                let problems = match failure.downcast_ref::<Wrong>() {
                    Some(Wrong(problems)) => problems.iter().map(|p| format!("{}: {}", p.at, p.words())).collect(),
                    None => vec![failure.to_string()],
                };
                for problem in problems {
                    tracing::error!("{problem}");
                }
                tracing::error!(file, "the tasks were not reloaded, because the file has errors");
            }
        }
    }

    fn exchange(&mut self) -> Result<Changes, Failure> {
        let (mut new, warnings) = self.given.load()?;
        for warning in warnings {
            tracing::warn!("{}: {}", warning.at, warning.words());
        }
        let needs_restart = self.config.settings.differing(&new.settings);
        if !needs_restart.is_empty() {
            tracing::warn!(settings = ?needs_restart, "changed settings take effect after a restart");
        }
        new.settings = self.config.settings.clone();
        // Both are made before either is used.
        #[cfg(feature = "api")]
        let catalog = self.api.as_ref().map(|api| (api.open)(&new)).transpose()?;
        self.engine.take(&new)?;
        #[cfg(feature = "api")]
        if let (Some(api), Some(catalog)) = (&self.api, catalog) {
            api.catalog.replace(catalog);
            schedules::warn_of_removed(&self.config.schedules, &new.schedules);
        }
        let changes = changes(&self.config.tasks, &new.tasks);
        self.config = new;
        Ok(changes)
    }
}

fn changes(old: &Tasks, new: &Tasks) -> Changes {
    let missing =
        |from: &Tasks, there: &Tasks| from.keys().filter(|name| !there.contains_key(*name)).cloned().collect();
    let differs = |(name, (_, task)): &(&String, &(_, _))| old.get(*name).is_some_and(|(_, before)| before != task);
    Changes {
        added: missing(new, old),
        removed: missing(old, new),
        changed: new.iter().filter(differs).map(|(name, _)| name.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_added_removed_and_changed_and_moving_one_is_no_change() {
        let task =
            |name: &str, command: &str| format!("[tasks.{name}]\nexecutor = \"process\"\ncommand = [\"{command}\"]\n");
        let old = Config::of(&[task("a", "true"), task("b", "true"), task("c", "true")].concat());
        let new = Config::of(&[task("d", "true"), task("c", "true"), task("b", "false")].concat());
        let found = changes(&old.tasks, &new.tasks);
        let names = |name: &str| vec![name.to_owned()];
        assert_eq!(found, Changes { added: names("d"), removed: names("a"), changed: names("b") });
    }
}
