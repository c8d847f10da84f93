//! Why a waiting run is not ready.

/// The first reason that holds, in this order. A run that none holds is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockedBy {
    /// A run it waits for has not succeeded yet.
    Upstream,
    /// Its `available_at` lies ahead: a delay, or the wait before a retry.
    AvailableAt,
    /// Another run of its lane goes first, or holds the lane.
    Lane,
    /// A worker has leased it ahead of its start and begins it when a slot is free.
    Worker,
}

impl BlockedBy {
    /// Every reason, first to last.
    pub const ALL: [BlockedBy; 4] = [BlockedBy::Upstream, BlockedBy::AvailableAt, BlockedBy::Lane, BlockedBy::Worker];

    /// The word used in the database and in every interface.
    pub fn as_str(self) -> &'static str {
        match self {
            BlockedBy::Upstream => "upstream",
            BlockedBy::AvailableAt => "available_at",
            BlockedBy::Lane => "lane",
            BlockedBy::Worker => "worker",
        }
    }

    /// The reason that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}
