//! The nine words that say where a run is.

/// What every user sees of a run's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Created held; waits for `enqueue`.
    Pending,
    /// Waits for its first attempt, or for another after a pause or an interruption.
    Queued,
    /// A worker executes it, or the worker is lost and nobody has adopted it yet.
    Running,
    /// An attempt failed; waits for the next one.
    Retrying,
    /// Stopped until it is resumed.
    Paused,
    /// Done.
    Succeeded,
    /// The last attempt failed.
    Failed,
    /// The last attempt took longer than it may.
    TimedOut,
    /// Stopped for good because somebody asked.
    Cancelled,
}

impl Status {
    /// Every status, in the order of a life.
    pub const ALL: [Status; 9] = [
        Status::Pending,
        Status::Queued,
        Status::Running,
        Status::Retrying,
        Status::Paused,
        Status::Succeeded,
        Status::Failed,
        Status::TimedOut,
        Status::Cancelled,
    ];

    /// The word used in the database and in every interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Queued => "queued",
            Status::Running => "running",
            Status::Retrying => "retrying",
            Status::Paused => "paused",
            Status::Succeeded => "succeeded",
            Status::Failed => "failed",
            Status::TimedOut => "timed_out",
            Status::Cancelled => "cancelled",
        }
    }

    /// The status that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Whether nothing but a resume can change it any more.
    pub fn is_terminal(self) -> bool {
        matches!(self, Status::Succeeded | Status::Failed | Status::TimedOut | Status::Cancelled)
    }

    /// Whether a run in it holds a lane whose policy is to hold.
    pub fn holds_lane(self) -> bool {
        matches!(self, Status::Paused | Status::Failed | Status::TimedOut)
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
