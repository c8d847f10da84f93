# The commands people and continuous integration use; `make` alone lists them.

# Each compiles alone, and so does the package with none of them.
FEATURES := sqlite postgres worker api
# Passed on to the benchmark or the fuzzer: make bench-store ARGS="..."
ARGS :=
# Where the harness of the peers is.
PEERS := ../shared/peers

.PHONY: help test tools fmt-check clippy doc features nextest doctest fuzz-short fuzz-api chaos bench bench-store fmt

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 16

# One after the other even under -j: they share the build directory's lock, and the cheap ones should fail first.
test: ## Everything a change must pass: format, lints, docs, features, tests
	@for step in tools fmt-check clippy doc features nextest doctest fuzz-short; do $(MAKE) --no-print-directory $$step || exit 1; done

tools: ## Install what the tests need, where missing
	scripts/install-test-tools

fmt-check:
	cargo fmt --check

clippy: ## Lints, as errors
	cargo clippy --all-targets --all-features -- -D warnings

doc: ## The Rust documentation, warnings as errors
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --all-features

features: ## Check that the package compiles with no feature and with each alone
	cargo check --no-default-features
	@for feature in $(FEATURES); do \
		echo "cargo check --no-default-features --features $$feature"; \
		cargo check --no-default-features --features $$feature || exit 1; \
	done

nextest: ## The tests, against a PostgreSQL of their own
	scripts/with-postgres cargo nextest run --all-features

doctest: ## The examples in the documentation
	cargo test --doc --all-features

fuzz-short: ## Fuzz the API by its description, the same way each time, within a minute
	scripts/fuzz-api --short

fuzz-api: ## Fuzz the API by its description for some minutes; ARGS="--seed N" replays
	scripts/fuzz-api $(ARGS)

# The same tests as in `make test`, long: RUNLANE_SEED replays the faults of a run.
chaos: ## Kill, freeze and cut off a fleet of workers for some minutes
	RUNLANE_CHAOS_RUNS=2000 RUNLANE_CHAOS_KILLS=40 RUNLANE_CHAOS_FREEZES=10 RUNLANE_CHAOS_OUTAGES=5 \
	RUNLANE_CHAOS_ROLLING_MILLIS=30000 \
		scripts/with-postgres cargo nextest run --all-features --test-threads 1 --no-capture -E 'test(/^fleet::/)'

bench-store: ## Measure the stores on a durable PostgreSQL; ARGS go to the benchmark
	scripts/with-postgres --durable cargo bench --bench store -- $(ARGS)

# Some minutes for each repetition, on an otherwise idle machine.
bench: ## Measure Runlane beside its peers and write docs/benchmarks.md; ARGS="--repetitions 3"
	cargo build --release --bin runlane --example bench_peer
	rm -f target/beside.jsonl target/alone.jsonl
	bench/beside/run --peers $(PEERS) $(ARGS)
	scripts/with-postgres --durable bench/alone/run
	bench/beside/report

fmt: ## Format the code
	cargo fmt
