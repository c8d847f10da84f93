//! Every store against the conformance suite.

/// The reference model itself.
mod memory {
    use std::sync::Arc;

    use runlane::clock::{Clock, ManualClock};
    use runlane::store::conformance::{Bench, START};
    use runlane::store::memory::MemoryStore;

    async fn bench() -> Option<Bench> {
        let clock = ManualClock::starting_at(START);
        Some(Bench { store: Arc::new(MemoryStore::new(Clock::Manual(clock.clone()))), clock })
    }

    runlane::conformance_suite!(bench);
}
