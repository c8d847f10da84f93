//! Forgetting.

use jiff::SignedDuration;

/// How long what is over is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Finished runs with their attempts and events, from the time they ended, and skipped slots.
    pub finished: SignedDuration,
    /// Workers, from their last heartbeat.
    pub workers: SignedDuration,
    /// Records of the audit log, from the time they were written down.
    pub audit: SignedDuration,
    /// What attempts used up, from the time they first said so.
    pub usage: SignedDuration,
}

/// What was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Finished runs.
    pub runs: usize,
    /// Idempotency keys whose time was over.
    pub idempotency_keys: usize,
    /// Silent workers.
    pub workers: usize,
    /// Records of the audit log.
    pub audit: usize,
    /// Records of skipped slots.
    pub skips: usize,
    /// Records of what attempts used up.
    pub usage: usize,
}
