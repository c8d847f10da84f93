//! Faults of SQL statements: what to replace by what, and the promise that must be reported as broken.

use std::path::Path;

use runlane::store::checker::Rule;

use super::Sign;

/// A statement with a fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mutant {
    /// What is wrong.
    pub(crate) fault: &'static str,
    /// The statement, as `sabotage` knows it.
    pub(crate) statement: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) breaks: Rule,
    /// A second guard of the same promise that must fall too.
    also: Option<Edit>,
    /// What the database's message names.
    refused_by: Option<&'static str>,
}

/// A statement, what to replace in it, and by what.
pub(crate) type Edit = (&'static str, &'static str, &'static str);

const fn mutant(
    fault: &'static str,
    statement: &'static str,
    from: &'static str,
    to: &'static str,
    breaks: Rule,
) -> Mutant {
    Mutant { fault, statement, from, to, breaks, also: None, refused_by: None }
}

impl Mutant {
    const fn and(mut self, statement: &'static str, from: &'static str, to: &'static str) -> Self {
        self.also = Some((statement, from, to));
        self
    }

    /// The constraint that restates the promise refuses before it can be broken.
    const fn refused_by(mut self, constraint: &'static str) -> Self {
        self.refused_by = Some(constraint);
        self
    }

    /// How the scenario must show it.
    pub(crate) fn sign(&self) -> Sign {
        self.refused_by.map_or(Sign::Breaks(self.breaks), Sign::RefusedBy)
    }

    /// What to break, as `open_sabotaged` and `connect_sabotaged` take it.
    pub(crate) fn edits(&self) -> Vec<Edit> {
        std::iter::once((self.statement, self.from, self.to)).chain(self.also).collect()
    }
}

/// All of them bite in the scenario; SQLite has one writer, so there are no races to break.
#[rustfmt::skip]
pub(crate) const SQLITE: &[Mutant] = &[
    mutant("finish without epoch", "finish_plain", "and epoch = ?2", "and ?2 = ?2", Rule::StaleEpoch),
    mutant("finish after expiry", "finish_plain", "and lease_expires_at > ?3", "and ?3 = ?3", Rule::Expiry),
    mutant("renew after expiry", "renew", "and lease_expires_at > ?3", "and ?3 = ?3", Rule::Expiry),
    mutant("renew without epoch", "renew", "and epoch = ?2", "and ?2 = ?2", Rule::StaleEpoch),
    mutant("adoption keeps the epoch", "adopt", "epoch = epoch + 1", "epoch = epoch", Rule::Epochs),
    mutant("adoption by anybody", "adopt", "host = ?1 or orphaned_at <= ?2", "?1 = ?1 or ?2 = ?2", Rule::Takeover),
    mutant("claim keeps the epoch", "claim", "epoch = epoch + 1", "epoch = max(epoch, 1)", Rule::Epochs)
        .refused_by("attempt <= epoch"),
    mutant("claim of what is blocked", "claim", "and blocked_by is null", "", Rule::LaneOverlap)
        .refused_by("runs.workspace, runs.lane"),
    mutant("the lane ignores its occupant", "lane_fronts", "status in ('running', 'retrying')\n  ) or", "status = 'none'\n  ) or", Rule::LaneOverlap)
        .refused_by("runs.workspace, runs.lane"),
    mutant("the lane starts at its end", "lane_fronts", "order by priority desc, seq", "order by priority desc, seq desc", Rule::LaneOrder),
    mutant("runs of lanes are leased ahead", "claim", "and lane is null", "", Rule::LaneOverlap).and("ready_places", "and lane is null", ""),
    mutant("the limit counts nobody", "lock_rooms", "and status = 'running'", "and status = 'none'", Rule::QueueLimit),
    mutant("paused queues are served", "ready_streams", "select paused,", "select 0,", Rule::QueuePaused),
    mutant("idempotency keys are forgotten", "remembered", "and key = ?2", "and key = ?2 and 1 = 0", Rule::Idempotency),
    mutant("the queue is never full", "count_live", "from runs", "from runs where 1 = 0", Rule::QueueSize),
];

/// Those that bite in the scenario.
#[rustfmt::skip]
pub(crate) const POSTGRES: &[Mutant] = &[
    mutant("finish without epoch", "finish_plain", "and epoch = $2", "and $2::bigint is not null", Rule::StaleEpoch),
    mutant("finish after expiry", "finish_plain", "and lease_expires_at > coalesce($4, clock_timestamp())", "", Rule::Expiry),
    mutant("renew after expiry", "renew", "and lease_expires_at > coalesce($3, clock_timestamp())", "", Rule::Expiry),
    mutant("renew without epoch", "renew", "and epoch = $2", "and $2::bigint is not null", Rule::StaleEpoch),
    mutant("adoption keeps the epoch", "adopt", "epoch = run.epoch + 1", "epoch = run.epoch", Rule::Epochs),
    mutant("adoption by anybody", "adopt", "host = $2 or", "true or", Rule::Takeover),
    mutant("claim keeps the epoch", "claim", "epoch = epoch + 1", "epoch = greatest(epoch, 1)", Rule::Epochs),
    mutant("claim of what is blocked", "claim", "blocked_by is null", "blocked_by is distinct from ''", Rule::LaneOverlap)
        .and("claim", "coalesce(blocked_by, status) in ('queued', 'retrying')", "true")
        .refused_by("runs_lane_front"),
    mutant("the lane ignores its occupant", "lane_fronts", "run.status in ('running', 'retrying')", "false", Rule::LaneOverlap)
        .refused_by("runs_lane_front"),
    mutant("the lane starts at its end", "lane_fronts", "order by -run.priority, run.seq", "order by -run.priority, -run.seq", Rule::LaneOrder),
    mutant("runs of lanes are leased ahead", "claim", "and lane is null", "", Rule::LaneOverlap).and("ready_places", "and run.lane is null", ""),
    mutant("the limit counts nobody", "lock_rooms", "where status = 'running'", "where status = 'none'", Rule::QueueLimit),
    mutant("idempotency keys are forgotten", "remembered", "and idempotency.key = named.key", "and false", Rule::Idempotency)
        .and("remember", "where known.expires_at <= $6", "where $6::timestamptz is not null"),
    mutant("the queue is never full", "count_live", "from runlane.runs", "from runlane.runs where false", Rule::QueueSize),
];

/// Those that only a race shows: for the concurrent workload.
#[rustfmt::skip]
pub(crate) const POSTGRES_RACES: &[Mutant] = &[
    mutant("the limit is read without a lock", "lock_rooms", "update runlane.queues set concurrency = concurrency", "select workspace, name, concurrency from runlane.queues", Rule::QueueLimit)
        .and("lock_rooms", "\nreturning workspace, name, concurrency", ""),
];

#[test]
fn every_mutant_still_changes_its_statement() {
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store");
    for (mutants, folder) in [(SQLITE, "sqlite/sql"), (POSTGRES, "postgres/sql"), (POSTGRES_RACES, "postgres/sql")] {
        for mutant in mutants {
            for (statement, from, to) in mutant.edits() {
                let text = std::fs::read_to_string(store.join(folder).join(format!("{statement}.sql")));
                let changes = text.is_ok_and(|text| text.contains(from) && from != to);
                assert!(changes, "{folder}/{statement}.sql: {}, to break {:?}", mutant.fault, mutant.breaks);
            }
        }
    }
}
