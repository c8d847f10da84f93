select exists (
    select from runlane.queues where workspace = any($1) and name = any($2) and concurrency is not null)
