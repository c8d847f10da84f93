//! Lanes.

use crate::run::{LaneName, RunId};

/// What a lane does when one of its runs is paused, fails or times out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanePolicy {
    /// Goes on with the next run.
    #[default]
    Continue,
    /// Waits until that run is resumed, cancelled or dismissed.
    Hold,
}

impl LanePolicy {
    /// The word used in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            LanePolicy::Continue => "continue",
            LanePolicy::Hold => "hold",
        }
    }

    /// The policy that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        [LanePolicy::Continue, LanePolicy::Hold].into_iter().find(|policy| policy.as_str() == word)
    }
}

/// What came of setting a lane's policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanePolicyOutcome {
    /// It is another one now.
    Changed,
    /// It was that already.
    Unchanged,
    /// There is no such workspace.
    UnknownWorkspace,
}

/// A lane as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its name.
    pub name: LaneName,
    /// What it does on failure.
    pub policy: LanePolicy,
    /// The run that is running, or waits to try again.
    pub occupant: Option<RunId>,
    /// The runs that hold it, in order of id.
    pub held_by: Vec<RunId>,
    /// How many queued runs wait in it.
    pub waiting: u64,
}
