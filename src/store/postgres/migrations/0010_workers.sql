-- What a worker has and how full it is, how often it beats, since when it drains, and when it left.
alter table runlane.workers
    add column queue_limits json not null default '[]',
    add column tasks text[],
    add column beat_ms bigint not null default 10000,
    add column leaving boolean not null default false,
    add column draining_since timestamptz,
    add column left_at timestamptz;
