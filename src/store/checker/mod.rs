//! What happened to a store under concurrency, and whether it may have happened.
//!
//! [`Recorder`] wraps a store and writes down every call with the time it began and the time it was answered.
//! [`check`] judges the merged record of all actors, together with the [`FinalState`] state, against what a store
//! promises. A call takes effect at some instant between its two times, so only what is wrong for every choice of
//! those instants is reported.

mod entry;
mod final_state;
mod log;
mod record;
mod rules;

pub use entry::{Call, Entry, GrantedLease, SubmittedRun};
pub use final_state::{FinalRun, FinalState};
pub use log::{Log, Stamps};
pub use record::Recorder;
pub use rules::{Rule, Violation, check};

/// The calls of all actors, in the order in which they began.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Each call, answered or not.
    pub entries: Vec<Entry>,
}

impl Recording {
    /// Merges what several actors wrote: of each call the fullest line, in the order of their beginnings.
    pub fn merge(lines: impl IntoIterator<Item = Entry>) -> Self {
        let mut calls = std::collections::HashMap::new();
        for line in lines {
            let call = calls.entry((line.actor.clone(), line.number)).or_insert_with(|| line.clone());
            if line.returned.is_some() || line.error.is_some() {
                *call = line;
            }
        }
        let mut entries: Vec<Entry> = calls.into_values().collect();
        entries.sort_by_key(|entry| (entry.invoked, entry.number));
        Self { entries }
    }

    /// What the store could not do, as it said.
    pub fn errors(&self) -> Vec<&str> {
        self.entries.iter().filter_map(|entry| entry.error.as_deref()).collect()
    }
}
