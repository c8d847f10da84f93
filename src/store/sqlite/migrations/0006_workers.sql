-- What a worker has and how full it is, how often it beats, since when it drains, and when it left.
alter table workers add column queue_limits text not null default '[]';
alter table workers add column tasks text;
alter table workers add column beat_ms integer not null default 10000;
alter table workers add column leaving integer not null default 0 check (leaving in (0, 1));
alter table workers add column draining_since integer;
alter table workers add column left_at integer;
